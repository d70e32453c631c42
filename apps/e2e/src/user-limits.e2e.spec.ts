import { DEMO_USERS, SCOPES } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { type ApiResponse, call } from './client.js';
import { pageHref, openSignedInBrowser } from './developer.js';
import { prepareDedicatedProduct } from './dedicated-product.js';
import { type TestUser, loadDemoUser, buildTestUser } from './users.js';
import { newBrowser, signIn } from './sign-in.js';
import type { WireCreated } from './wire.js';

const ATTACK_CHARGES = 600;
const AT_ONCE = 50;
const PENDING_PER_PAIR = 20;

describe('a product with limits for users', () => {
  /** The limits of tokens and addresses are high, so that only the limits of users reject requests here. */
  const product = prepareDedicatedProduct({
    RATE_LIMITS: 'on',
    RATE_LIMIT_TOKEN_PER_SECOND: '100000',
    RATE_LIMIT_TOKEN_BURST: '100000',
    RATE_LIMIT_ADDRESS_PER_SECOND: '100000',
    RATE_LIMIT_ADDRESS_BURST: '100000',
    AMOUNT_PER_DAY: '20.00',
  });
  let alice: TestUser;
  let bob: TestUser;
  let carol: TestUser;

  beforeAll(async () => {
    await product.start();
    [alice, bob, carol] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob'), loadDemoUser('carol')]);
  }, 120_000);
  afterAll(() => product.close(), 60_000);

  async function sendMany(count: number, send: (index: number) => Promise<ApiResponse<WireCreated>>) {
    const responses: ApiResponse<WireCreated>[] = [];
    for (let sent = 0; sent < count; sent += AT_ONCE) {
      const batch = Array.from({ length: Math.min(AT_ONCE, count - sent) }, (_, index) => send(sent + index));
      responses.push(...(await Promise.all(batch)));
    }
    return {
      admitted: responses.filter(({ status }) => status === 200),
      refused: responses.filter(({ status }) => status !== 200),
    };
  }

  const expectLimited = ({ status, body, headers }: ApiResponse<unknown>) => {
    expect([status, body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  };

  // Shows limit-13
  it('given 600 charges to another user, when they are sent as fast as possible, then 20 are pending and the rest gets 429', async () => {
    const { admitted, refused } = await sendMany(ATTACK_CHARGES, () => alice.send({ user_id: carol.id }, '-0.01'));
    expect(new Set(admitted.map(({ body }) => body.data.payment.status))).toEqual(new Set(['pending']));
    expect(admitted).toHaveLength(PENDING_PER_PAIR);
    refused.forEach(expectLimited);
    const { body } = await carol.list({ status: 'pending', actor: alice.id, limit: 50 });
    expect(body.data).toHaveLength(PENDING_PER_PAIR);
    expect((await bob.send({ user_id: carol.id }, '-0.01')).status).toBe(200);
  });

  // Shows limit-19
  it('given a rejected charge with a key, when there is room and it is sent again, then it is accepted', async () => {
    const charge = () =>
      call<WireCreated>('/payments', {
        method: 'POST',
        token: alice.token,
        form: { user_id: carol.id, amount: '-0.02', note: 'again' },
        headers: { 'idempotency-key': 'refused-first' },
      });
    expectLimited(await charge());
    const { body } = await carol.list({ status: 'pending', actor: alice.id, limit: 1 });
    expect((await carol.act(body.data[0]?.id ?? '', 'deny')).status).toBe(200);
    const done = await charge();
    expect([done.status, done.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect((await charge()).headers.get('idempotent-replayed')).toBe('true');
  });

  // Shows limit-16
  it('given a daily amount, when pays and approvals reach it, then further ones get 429 and move nothing', async () => {
    const request = await bob.send({ user_id: alice.id }, '-15.00');
    expect((await alice.act(request.body.data.payment.id, 'approve')).status).toBe(200);
    expect((await alice.send({ user_id: bob.id }, '5.00')).status).toBe(200);
    const balanceCents = await alice.balanceCents();
    expectLimited(await alice.send({ user_id: bob.id }, '0.01'));
    const more = await bob.send({ user_id: alice.id }, '-0.01');
    expectLimited(await alice.act(more.body.data.payment.id, 'approve'));
    expect(await alice.balanceCents()).toBe(balanceCents);
    expect((await alice.read(more.body.data.payment.id)).body.data.status).toBe('pending');
  });

  // Shows limit-18
  it('given a daily amount that bob lets alice charge, when charges exceed it, then they are pending, and a changed amount applies once it is confirmed', async () => {
    const browser = await openSignedInBrowser('bob');
    const trustUpTo = async (amount: string) => {
      const page = await browser.submit(
        await browser.open(pageHref('/account/friends')),
        { amount_per_day: amount },
        'Save',
      );
      expect(page.url.search).toBe('?done=saved');
    };
    const charge = async (amount: string) =>
      (await alice.send({ user_id: bob.id }, `-${amount}`)).body.data.payment.status;
    await trustUpTo('0.05');
    expect([await charge('0.03'), await charge('0.03')]).toEqual(['settled', 'pending']);
    await trustUpTo('0.06');
    expect([await charge('0.01'), await charge('0.01')]).toEqual(['settled', 'settled']);
    await trustUpTo('0.05');
    expect(await charge('0.01')).toBe('pending');
    await trustUpTo('');
    await eventually(async () => expect(await charge('0.01')).toBe('settled'));
  });

  describe('with a daily amount that bob set when he authorized an app', () => {
    const browser = newBrowser();
    let limited: TestUser;
    const refusalOf = ({ status, body }: ApiResponse<unknown>) => [status, body.error.code];
    const setAmount = async (amount: string) => {
      const page = await browser.open(pageHref('/account/apps'));
      const form = page.forms.find(({ action }) => action.endsWith('/account/apps/amount'))!;
      const fields = new URLSearchParams({ ...form.fields, amount_per_day: amount });
      return browser.send(new URL(form.action, page.url), 'POST', fields);
    };

    beforeAll(async () => {
      const consent = await signIn(browser, 'bob', { scope: SCOPES.join(' ') });
      const back = await browser.submit(consent, { amount_per_day: '5.00' }, 'Allow');
      limited = buildTestUser({ ...DEMO_USERS.bob, token: back.url.searchParams.get('access_token') ?? '' });
    });

    // Shows limit-17
    it('given concurrent pays, when they reach it, then the rest gets 403 and moves nothing, and so does an approval', async () => {
      const beforeCents = await limited.balanceCents();
      const { admitted, refused } = await sendMany(20, () => limited.send({ user_id: carol.id }, '0.70'));
      expect(admitted).toHaveLength(7);
      for (const response of refused) expect(refusalOf(response)).toEqual([403, 'not_permitted']);
      expect(refused[0]?.body.error.message).toContain('Connected apps');
      expect(await limited.balanceCents()).toBe(beforeCents - 490);
      const request = await carol.send({ user_id: bob.id }, '-0.11');
      const { id } = request.body.data.payment;
      expect(refusalOf(await limited.act(id, 'approve'))).toEqual([403, 'not_permitted']);
      expect((await limited.read(id)).body.data.status).toBe('pending');
      // Another user of the same app is not limited.
      expect((await carol.send({ user_id: bob.id }, '0.01')).status).toBe(200);
    });

    // Shows limit-17
    it('given an issued token, when bob changes the amount, then it applies to that token at once, and a rejected key is free', async () => {
      const pay = () =>
        call<WireCreated>('/payments', {
          method: 'POST',
          token: limited.token,
          form: { user_id: carol.id, amount: '0.70', note: 'lunch' },
          headers: { 'idempotency-key': 'above-the-amount' },
        });
      expect(refusalOf(await pay())).toEqual([403, 'not_permitted']);
      expect((await setAmount('nothing')).status).toBe(400);
      expect((await setAmount('6')).url.search).toBe('?done=saved');
      const paid = await eventually(async () => {
        const response = await pay();
        expect(response.status).toBe(200);
        return response;
      });
      expect(paid.body.data.payment.status).toBe('settled');
      await setAmount('5.60');
      const cent = () => limited.send({ user_id: carol.id }, '0.01');
      await eventually(async () => expect(refusalOf(await cent())).toEqual([403, 'not_permitted']));
      await setAmount('');
      await eventually(async () => expect((await cent()).status).toBe(200));
    });
  });
});
