import { randomUUID } from 'node:crypto';
import type { UserRecord } from '@settle/contracts';
import { DAY_MS, FundingUsersLab, HOUR_MS, attempt } from './funding-users.fixture.js';

const US_PER_MS = 1_000;

describe('withdrawals', () => {
  let lab: FundingUsersLab;
  beforeAll(async () => {
    lab = await FundingUsersLab.open({ env: { DEV_TOOLS: 'true' } });
  });
  beforeEach(() => lab.reset());
  afterEach(() => lab.expectInOrder());
  afterAll(() => lab.close());

  /** A user who can withdraw these cents. */
  async function userWith(balanceCents: number): Promise<UserRecord> {
    const { user } = await lab.userWithSource();
    await lab.book(user, balanceCents);
    return user;
  }
  const decisions = () => {
    const { fundingUnits } = lab.instance.ledger;
    if (fundingUnits === null) throw new Error('No provider is set');
    return fundingUnits.decisions;
  };
  const nowUs = () => (Date.now() + lab.funding.aheadMs) * US_PER_MS;
  const decision = { operator: 'olivia', reason: 'checked', reference: 'ticket 7' };

  it('given a balance that covers it, when a withdrawal is requested, then it is paid, also if it is delivered again', async () => {
    const user = await userWith(1_000);
    const fundingId = randomUUID();
    const item = await lab.withdraw(user, 400, fundingId);
    const shown = { kind: 'withdrawal', id: fundingId, amountCents: 400, status: 'settled', reason: null };
    expect(item).toMatchObject({ ...shown, canCancel: false });
    expect(await lab.withdraw(user, 400, fundingId)).toEqual(item);
    expect(await attempt(lab.withdraw(user, 401, fundingId))).toMatchObject({ code: 'not_permitted' });
    expect(await lab.overview(user)).toMatchObject({ balanceCents: 600, withdrawableCents: 600, items: [item] });
  });

  it('given a withdrawal, when it is delivered three times at once, then it is paid once', async () => {
    const user = await userWith(80_000);
    const fundingId = randomUUID();
    const send = () => lab.withdraw(user, 40_000, fundingId);
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status }) => status)).toEqual(['settled', 'settled', 'settled']);
    expect(await lab.balance(user)).toBe(40_000);
  });

  it('given a payout that fails, when a withdrawal is requested, then it has failed and the money is balance', async () => {
    const user = await userWith(500);
    lab.books.nextPayout = 'failed';
    expect(await lab.withdraw(user)).toMatchObject({ status: 'failed', reason: 'other' });
    expect(await lab.balance(user)).toBe(500);
  });

  it('given a payout that returns, when a withdrawal is requested, then it is returned and the money is balance', async () => {
    const user = await userWith(500);
    lab.books.nextPayout = 'returned';
    expect(await lab.withdraw(user)).toMatchObject({ status: 'returned' });
    expect(await lab.balance(user)).toBe(500);
  });

  it('given a payout that waits, when it is paid, then the worker settles the withdrawal, which can no longer be cancelled', async () => {
    const user = await userWith(500);
    lab.books.nextPayout = 'pending';
    const { id, status, canCancel } = await lab.withdraw(user);
    expect([status, canCancel]).toEqual(['pending', false]);
    expect(await attempt(lab.cancel(user, id))).toMatchObject({ code: 'not_permitted' });
    const payout = lab.books.payouts.get(id);
    if (payout !== undefined) payout.state = 'paid';
    await lab.later(3_000);
    expect((await lab.overview(user)).items).toMatchObject([{ id, status: 'settled' }]);
  });

  it('given too little money, when a withdrawal is requested, then it is refused with what can be withdrawn', async () => {
    const user = await userWith(499);
    const refused = await attempt(lab.withdraw(user));
    expect(refused).toEqual({ code: 'insufficient_funds', message: 'You can withdraw $4.99 now.' });
    expect((await lab.overview(user)).items).toEqual([]);
  });

  it('given money for one, when two withdrawals race for the last cent, then one is paid', async () => {
    const user = await userWith(1_000);
    const answers = await Promise.all([attempt(lab.withdraw(user, 501)), attempt(lab.withdraw(user, 500))]);
    expect(answers.filter((each) => 'status' in each && each.status === 'settled')).toHaveLength(1);
    const paid = answers.find((each) => 'status' in each && each.status === 'settled');
    expect(await lab.balance(user)).toBe(paid !== undefined && 'amountCents' in paid ? 1_000 - paid.amountCents : null);
  });

  it('given a provider that must not be used yet, when money is withdrawn, added or a withdrawal cancelled, then it is unavailable', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    await lab.book(user, 50_001);
    const { id } = await lab.withdraw(user, 50_000);
    Object.assign(lab.funding.admitted, { begin: false, end: false });
    const refused = [() => lab.withdraw(user, 1), () => lab.deposit(user, sourceKey, 1), () => lab.cancel(user, id)];
    for (const each of refused) expect(await attempt(each())).toMatchObject({ code: 'service_unavailable' });
    Object.assign(lab.funding.admitted, { begin: true, end: true });
    expect(await lab.cancel(user, id)).toMatchObject({ status: 'cancelled' });
  });

  it('given a large withdrawal, when it is requested, then it waits for an operator, and is paid once approved', async () => {
    const user = await userWith(50_000);
    const { id, status, canCancel } = await lab.withdraw(user, 50_000);
    expect([status, canCancel, await lab.balance(user)]).toEqual(['review', true, 0]);
    await lab.later();
    expect(lab.books.payouts.has(id)).toBe(false);
    const approve = { type: 'approve', decision, atUs: nowUs() } as const;
    expect(await decisions().decide(id, approve)).toBe('append');
    expect(await decisions().decide(id, approve)).toBe('already');
    await lab.instance.funding.advance({ userId: user.card.id, kind: 'withdrawal', fundingId: id });
    await lab.funding.lab.caughtUp();
    expect((await lab.overview(user)).items).toMatchObject([{ id, status: 'settled' }]);
  });

  it('given a withdrawal that waits for an operator, when its owner cancels it, also twice, then the money is balance', async () => {
    const [user, other] = [await userWith(50_000), await lab.user()];
    const { id } = await lab.withdraw(user, 50_000);
    expect(await attempt(lab.cancel(other, id))).toMatchObject({ code: 'resource_not_found' });
    const item = await lab.cancel(user, id);
    expect(item).toMatchObject({ status: 'cancelled', reason: 'cancelled', canCancel: false });
    expect(await lab.cancel(user, id)).toEqual(item);
    expect(await lab.balance(user)).toBe(50_000);
    expect(await decisions().decide(id, { type: 'approve', decision, atUs: nowUs() })).toBe('too-late');
    expect(await attempt(lab.cancel(user, randomUUID()))).toMatchObject({ code: 'resource_not_found' });
  });

  it('given a withdrawal that waits for an operator, when it is refused, then the money is balance', async () => {
    const user = await userWith(50_000);
    const { id } = await lab.withdraw(user, 50_000);
    await decisions().decide(id, { type: 'refuse', decision, atUs: nowUs() });
    await lab.later(3_000);
    const refused = { id, status: 'cancelled', reason: 'refused_by_operator' };
    expect(await lab.overview(user)).toMatchObject({ balanceCents: 50_000, items: [refused] });
  });

  it('given a frozen user, when a withdrawal is requested or waits for an operator, then nothing is paid out', async () => {
    const user = await userWith(60_000);
    const { id } = await lab.withdraw(user, 50_000);
    await lab.funding.lab.know({ ...user, version: 3, isFrozen: true });
    expect(await attempt(lab.withdraw(user))).toMatchObject({ code: 'account_frozen' });
    await decisions().decide(id, { type: 'approve', decision, atUs: nowUs() });
    await lab.later(3_000);
    const stopped = { id, status: 'cancelled', reason: 'owner_frozen' };
    expect(await lab.overview(user)).toMatchObject({ balanceCents: 60_000, items: [stopped] });
  });

  it('given a frozen user, when what the provider did before a restore is unknown, then a withdrawal ends only once it is known', async () => {
    const user = await userWith(50_000);
    const { id } = await lab.withdraw(user, 50_000);
    await lab.funding.lab.know({ ...user, version: 3, isFrozen: true });
    lab.funding.admitted.end = false;
    const advance = () => lab.instance.funding.advance({ userId: user.card.id, kind: 'withdrawal', fundingId: id });
    await advance();
    expect((await lab.overview(user)).items).toMatchObject([{ id, status: 'review' }]);
    lab.funding.admitted.end = true;
    await advance();
    await lab.funding.lab.caughtUp();
    expect((await lab.overview(user)).items).toMatchObject([{ id, status: 'cancelled', reason: 'owner_frozen' }]);
  });

  it('given no source for payouts, or a new one, when a withdrawal is requested, then it waits for a day', async () => {
    const user = await lab.user();
    await lab.book(user, 500);
    expect(await attempt(lab.withdraw(user))).toMatchObject({ code: 'not_permitted' });
    await lab.addSource(user, { isForPayouts: true });
    lab.funding.aheadMs += DAY_MS - HOUR_MS;
    expect(await attempt(lab.withdraw(user))).toMatchObject({ code: 'not_permitted' });
    lab.funding.aheadMs += HOUR_MS + 1;
    expect(await lab.withdraw(user)).toMatchObject({ status: 'settled' });
  });

  it('given a changed password, when a withdrawal is requested before its time, then it is refused and says until when', async () => {
    const user = await userWith(500);
    const notBeforeUs = Date.UTC(2099, 0, 1, 12) * US_PER_MS;
    const refused = await attempt(lab.withdraw(user, 500, randomUUID(), notBeforeUs));
    expect(refused).toMatchObject({ code: 'not_permitted', message: expect.stringContaining('2099-01-01 12:00 UTC') });
    expect(await lab.withdraw(user, 500, randomUUID(), nowUs() - 1)).toMatchObject({ status: 'settled' });
  });

  it('given 1,000.00 withdrawn, when more is requested within a day, also two at once, then it is refused until the day is over', async () => {
    const user = await userWith(200_000);
    await lab.withdraw(user, 40_000);
    const racing = [attempt(lab.withdraw(user, 40_000)), attempt(lab.withdraw(user, 40_000))];
    const answers = await Promise.all(racing);
    expect(answers.filter((each) => 'status' in each)).toHaveLength(1);
    expect(await attempt(lab.withdraw(user, 20_001))).toMatchObject({ code: 'not_permitted' });
    expect(await lab.withdraw(user, 20_000)).toMatchObject({ status: 'settled' });
    lab.funding.aheadMs += DAY_MS + 1;
    expect(await lab.withdraw(user, 20_001)).toMatchObject({ status: 'settled' });
  });
});
