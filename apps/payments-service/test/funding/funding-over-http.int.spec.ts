import { randomUUID } from 'node:crypto';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { LedgerLab } from '../ledger-lab/ledger-lab.fixture.js';
import { US_PER_DAY } from '../ledger-lab/open-charges.fixture.js';
import { person } from '../ledger-lab/people.fixture.js';
import { ScriptedProvider, common, json, problem } from '../provider/scripted-provider.fixture.js';
import { attempt } from './funding-users.fixture.js';

const PAGE = { url: 'https://pages.example/enter', expires_at: '2100-01-01T00:00:00Z' };
const { id, version, created_at, updated_at } = common;
const ofSource = { id, version, created_at, updated_at, live: true };

describe('funding by a provider over HTTP', () => {
  let provider: ScriptedProvider;
  let lab: LedgerLab;
  let instance: LabInstance;
  /** The provider's answer about a source, beside its key. */
  let source: object;

  beforeAll(async () => {
    [provider, lab] = [new ScriptedProvider(), await LedgerLab.open()];
    await provider.start();
    provider.answer = (response) => {
      const { method = '', url = '', body = '' } = provider.received.at(-1) ?? {};
      const [, kind = '', key = ''] = /\/base\/(\w+)\/([^/]+)/.exec(url) ?? [];
      const asked = (body === '' ? {} : JSON.parse(body)) as { amount?: number };
      if (kind === 'sources') return json(200, { ...ofSource, key, kind: 'source', ...source })(response);
      if (method !== 'PUT') return json(404, problem('not_found'))(response);
      const isCharge = kind === 'charges';
      const state = isCharge ? 'approved' : 'paid';
      const money = { ...common, amount: asked.amount, state };
      return json(201, { ...money, key, kind: isCharge ? 'charge' : 'payout' })(response);
    };
    const waits = { waitMs: 5_000, pendingUs: 3 * US_PER_DAY };
    const gate = { isLive: () => true, mayBegin: () => true, mayEnd: () => true, whenChecked: Promise.resolve() };
    const env = { DEV_TOOLS: 'true' };
    instance = await lab.instance({ env, provider: { provider: provider.client(), gate, ...waits } });
  });
  afterAll(async () => {
    await lab.close();
    await provider.stop();
  });

  const begun = { state: 'verifying', can_charge: false, can_payout: false, owner_match: false };
  const unknown = { fingerprint: null, brand: null, last4: null };

  it('given a user, when a source is added, charged and paid out to, then each request reaches the provider once', async () => {
    const user = person();
    await lab.know(user);
    const userId = user.card.id;
    const sourceKey = `src-${randomUUID()}`;
    source = { ...begun, ...unknown, next_action: PAGE };
    const order = {
      ownerName: 'Ann Ok',
      wantsCharges: true,
      wantsPayouts: true,
      returnUrl: 'https://settle.example/back',
    };
    expect(await instance.funding.begin({ userId, sourceKey, ...order })).toEqual({ pageUrl: PAGE.url });
    const known = { fingerprint: 'fp_1', brand: 'Visa', last4: '4242' };
    source = { state: 'active', can_charge: true, can_payout: true, owner_match: true, ...known, next_action: null };
    await instance.funding.keep({ userId, sourceKey, isForPayouts: true });
    const command = { userId, amountCents: 700, beginBeforeMs: Number.MAX_SAFE_INTEGER };
    const deposit = { ...command, fundingId: randomUUID(), sourceKey };
    expect(await instance.funding.deposit(deposit)).toMatchObject({ status: 'settled' });
    await instance.addFunds({ commandId: randomUUID(), userId, amountCents: 300 });
    await lab.pool.query('update funding_sources set for_payouts_since_us = 1 where key = $1', [sourceKey]);
    const withdrawal = { ...command, fundingId: randomUUID(), amountCents: 300, notBeforeUs: 0 };
    expect(await instance.funding.withdraw(withdrawal)).toMatchObject({ status: 'settled' });
    const overview = await instance.funding.overview({ userId, beforeUs: null, limit: 10 });
    expect(overview).toMatchObject({ isLive: true, balanceCents: 700, withdrawableCents: 0 });
    expect(overview.items.map(({ kind }) => kind)).toEqual(['withdrawal', 'deposit']);
    const money = provider.received.filter(({ url = '' }) => /charges|payouts/.test(url));
    expect(money.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `PUT /base/charges/${deposit.fundingId}`,
      `PUT /base/payouts/${withdrawal.fundingId}`,
    ]);
    await lab.expectInOrder();
  });

  it('given a provider that names a page elsewhere, when a source is begun, then the user is not sent there', async () => {
    const user = person();
    await lab.know(user);
    source = { ...begun, ...unknown, next_action: { ...PAGE, url: 'https://elsewhere.example/enter' } };
    const order = {
      ownerName: 'Ann Ok',
      wantsCharges: true,
      wantsPayouts: true,
      returnUrl: 'https://settle.example/back',
    };
    const request = { userId: user.card.id, sourceKey: `src-${randomUUID()}`, ...order };
    expect(await attempt(instance.funding.begin(request))).toEqual({ pageUrl: null });
  });
});
