import { randomUUID } from 'node:crypto';
import type { ProviderSource } from '@settle/provider-api';
import { LedgerLab } from '../ledger-lab/ledger-lab.fixture.js';
import { person } from '../ledger-lab/people.fixture.js';
import { FundingUsersLab, attempt } from './funding-users.fixture.js';

describe('sources at the provider', () => {
  let lab: FundingUsersLab;
  beforeAll(async () => {
    lab = await FundingUsersLab.open();
  });
  beforeEach(() => lab.reset());
  afterAll(() => lab.close());

  const ready = { state: 'active', can_charge: true, can_payout: true, owner_match: true } as const;
  const newKey = () => `src-${randomUUID()}`;

  it('given a user, when a source is begun and its number entered, then it is kept and shown as the provider has it', async () => {
    const user = await lab.user();
    const sourceKey = newKey();
    expect((await lab.begin(user, sourceKey)).pageUrl).toBe(`http://127.0.0.1/sources/${sourceKey}`);
    expect((await lab.overview(user)).sources).toEqual([]);
    lab.books.changeSource(sourceKey, { ...ready, fingerprint: randomUUID(), brand: 'Visa', last4: '4242' });
    const kept = await lab.keep(user, sourceKey, true);
    const facts = { key: sourceKey, state: 'active', brand: 'Visa', lastFour: '4242', isForPayouts: true };
    expect(kept).toEqual({ ...facts, canCharge: true, canPayout: true, isOwnerMatch: true });
    expect((await lab.overview(user)).sources).toEqual([kept]);
  });

  it('given a source that is still verified, when it is kept for payouts, then it is shown, and gets payouts only once it is kept again', async () => {
    const user = await lab.user();
    const sourceKey = newKey();
    await lab.begin(user, sourceKey);
    expect(await lab.keep(user, sourceKey, true)).toMatchObject({ state: 'verifying', isForPayouts: false });
    lab.books.changeSource(sourceKey, { ...ready, fingerprint: randomUUID() });
    expect(await lab.keep(user, sourceKey, true)).toMatchObject({ state: 'active', isForPayouts: true });
  });

  it.each<[string, Partial<ProviderSource>, boolean]>([
    ['without payouts', { can_payout: false }, true],
    ['in the name of another person', { owner_match: false }, true],
    ['that has ended', { state: 'ended' }, false],
    ['that cannot be used', { can_charge: false, can_payout: false }, false],
  ])('given a source %s, when it is kept, then that is not permitted', async (_, facts, isForPayouts) => {
    const user = await lab.user();
    expect(await attempt(lab.addSource(user, { ...facts, isForPayouts }))).toMatchObject({ code: 'not_permitted' });
  });

  it('given the card of another user, when it is kept, then that is not permitted, and the source is ended', async () => {
    const fingerprint = randomUUID();
    const [owner, other] = [await lab.user(), await lab.user()];
    await lab.addSource(owner, { fingerprint });
    expect(await attempt(lab.addSource(other, { fingerprint }))).toMatchObject({ code: 'not_permitted' });
    expect((await lab.overview(other)).sources).toEqual([]);
    expect([...lab.books.sources.values()].at(-1)?.state).toBe('ended');
    // The owner may add it twice.
    await lab.addSource(owner, { fingerprint });
    expect((await lab.overview(owner)).sources).toHaveLength(2);
  });

  it('given the same card of two users, when both keep it at once, then it is that of one', async () => {
    const fingerprint = randomUUID();
    const users = [await lab.user(), await lab.user()];
    const kept = await Promise.all(users.map((user) => attempt(lab.addSource(user, { fingerprint }))));
    expect(kept.filter((each) => 'code' in each)).toHaveLength(1);
  });

  it('given a source of another user, when it is begun, kept or ended, then it is not found', async () => {
    const [owner, other] = [await lab.user(), await lab.user()];
    const { key } = await lab.addSource(owner);
    const end = () => lab.instance.funding.end({ userId: other.card.id, sourceKey: key });
    for (const refused of [() => lab.begin(other, key), () => lab.keep(other, key), end]) {
      expect(await attempt<unknown>(refused())).toMatchObject({ code: 'resource_not_found' });
    }
  });

  it('given a second source for payouts, when it is kept, then withdrawals go to it alone', async () => {
    const user = await lab.user();
    const first = await lab.addSource(user, { isForPayouts: true });
    const second = await lab.addSource(user, { isForPayouts: true });
    const { sources } = await lab.overview(user);
    expect(sources.filter(({ isForPayouts }) => isForPayouts).map(({ key }) => key)).toEqual([second.key]);
    expect(sources).toHaveLength(2);
    await lab.instance.funding.end({ userId: user.card.id, sourceKey: second.key });
    await lab.instance.funding.end({ userId: user.card.id, sourceKey: second.key });
    expect(await lab.overview(user)).toMatchObject({ sources: [{ key: first.key, isForPayouts: false }] });
  });

  it('given a provider that changes a source, when the change is followed, then the highest version counts', async () => {
    const user = await lab.user();
    const { key } = await lab.addSource(user);
    const changes = lab.instance.ledger.fundingUnits?.sourceChanges;
    const before = lab.books.sources.get(key);
    lab.books.changeSource(key, { can_charge: false });
    lab.books.isAway = true;
    expect(await changes?.followChange(key)).toBe(false);
    lab.books.isAway = false;
    expect(await changes?.followChange(key)).toBe(true);
    expect(await lab.overview(user)).toMatchObject({ sources: [{ canCharge: false }] });
    // An older answer that comes late changes nothing.
    if (before !== undefined) lab.books.sources.set(key, before);
    expect(await changes?.followChange(key)).toBe(true);
    expect(await lab.overview(user)).toMatchObject({ sources: [{ canCharge: false }] });
    expect(await changes?.followChange('src-unknown')).toBe(true);
  });

  it('given a provider that does not answer, when a source is begun, kept or ended, then the service is unavailable', async () => {
    const user = await lab.user();
    const { key } = await lab.addSource(user);
    lab.books.isAway = true;
    const end = () => lab.instance.funding.end({ userId: user.card.id, sourceKey: key });
    for (const refused of [() => lab.begin(user), () => lab.keep(user, key), end]) {
      expect(await attempt<unknown>(refused())).toMatchObject({ code: 'service_unavailable' });
    }
  });

  it('given twenty sources begun within a day, when one more is begun, then that is not permitted', async () => {
    const user = await lab.user();
    for (let begun = 0; begun < 20; begun += 1) await lab.begin(user);
    expect(await attempt(lab.begin(user))).toMatchObject({ code: 'not_permitted' });
  });

  it('given no provider, when funding is requested, then it is unavailable, and the overview has the balance alone', async () => {
    const without = await LedgerLab.open();
    const instance = await without.instance();
    const { funding } = instance;
    const user = person();
    await without.know(user);
    await instance.fund(user, 700);
    const userId = user.card.id;
    const wants = { ownerName: 'Ann Ok', wantsCharges: true, wantsPayouts: true, returnUrl: 'http://localhost/' };
    const order = { fundingId: randomUUID(), userId, amountCents: 1, beginBeforeMs: Number.MAX_SAFE_INTEGER };
    const refused = [
      () => funding.begin({ userId, sourceKey: newKey(), ...wants }),
      () => funding.keep({ userId, sourceKey: newKey(), isForPayouts: false }),
      () => funding.end({ userId, sourceKey: newKey() }),
      () => funding.deposit({ ...order, sourceKey: newKey() }),
      () => funding.withdraw({ ...order, notBeforeUs: 0 }),
      () => funding.cancel({ userId, fundingId: randomUUID() }),
      () => funding.advance({ userId, kind: 'deposit', fundingId: randomUUID() }),
    ];
    for (const each of refused) expect(await attempt<unknown>(each())).toMatchObject({ code: 'service_unavailable' });
    const none = {
      isAvailable: false,
      isLive: false,
      withdrawableCents: 0,
      sources: [],
      items: [],
      nextBeforeUs: null,
    };
    expect(await funding.overview({ userId, beforeUs: null, limit: 10 })).toEqual({ ...none, balanceCents: 700 });
    await without.close();
  });
});
