import type { CreatedPayment, UserRecord } from '@settle/contracts';
import { anEmail, pair, proves } from '../ledger-lab/people.fixture.js';
import { DAY_MS, FundingUsersLab, HOUR_MS, attempt } from './funding-users.fixture.js';

const HOLD_MS = 72 * HOUR_MS;

describe('the limits of a source', () => {
  let lab: FundingUsersLab;
  let user: UserRecord;
  let sourceKey: string;

  beforeAll(async () => {
    lab = await FundingUsersLab.open({ env: { DEV_TOOLS: 'true' } });
  });
  beforeEach(async () => {
    lab.reset();
    ({ user, sourceKey } = await lab.userWithSource());
  });
  afterEach(() => lab.expectInOrder());
  afterAll(() => lab.close());

  const pay = (to: UserRecord, amountCents: number): Promise<CreatedPayment> =>
    lab.instance.create(user, to, { amountCents });
  const isAdmitted = (answer: object) => 'status' in answer && answer.status !== 'failed';
  const settled = (payments: readonly CreatedPayment[]) =>
    payments.filter(({ payment }) => payment.status === 'settled');

  it('given 500.00 taken within a day, when more is requested, then it is refused until the day is over', async () => {
    await lab.deposit(user, sourceKey, 30_000);
    await lab.deposit(user, sourceKey, 19_999);
    const refused = await attempt(lab.deposit(user, sourceKey, 2));
    const says =
      /^At most \$500\.00 .* \$499\.99 of it is used\. Some of it is free again at \d{4}-\d\d-\d\d \d\d:\d\d UTC\.$/;
    expect(refused).toMatchObject({ code: 'not_permitted', message: expect.stringMatching(says) });
    expect(await lab.deposit(user, sourceKey, 1)).toMatchObject({ status: 'settled' });
    lab.funding.aheadMs += DAY_MS + 1;
    expect(await lab.deposit(user, sourceKey, 50_000)).toMatchObject({ status: 'settled' });
  });

  it('given a declined deposit, when another is requested, then only what was taken counts', async () => {
    lab.books.nextCharge = 'declined';
    await lab.deposit(user, sourceKey, 50_000);
    lab.books.nextCharge = 'approved';
    expect(await lab.deposit(user, sourceKey, 50_000)).toMatchObject({ status: 'settled' });
  });

  it('given room for one, when deposits race for the last cent of the limit, then one is charged', async () => {
    await lab.deposit(user, sourceKey, 20_001);
    const racing = Array.from({ length: 8 }, () => attempt(lab.deposit(user, sourceKey, 15_000)));
    expect((await Promise.all(racing)).filter(isAdmitted)).toHaveLength(1);
    expect(await lab.balance(user)).toBe(35_001);
  });

  it('given room for two, when payments and deposits race for it, then their charges stay within the limit', async () => {
    const payee = await lab.user();
    lab.books.nextCharge = 'pending';
    const payments = Promise.all(Array.from({ length: 4 }, () => pay(payee, 20_000)));
    const deposits = Promise.all(Array.from({ length: 4 }, () => attempt(lab.deposit(user, sourceKey, 20_000))));
    const admitted = (await payments).filter(({ payment }) => payment.status === 'pending').length;
    const deposited = (await deposits).filter(isAdmitted).length;
    expect(admitted + deposited).toBe(2);
    const charged = [...lab.books.charges.keys()].filter((key) => key.includes(`:${user.card.id}:`));
    expect(charged).toHaveLength(admitted);
  });

  it('given a limit that is reached, when the source would pay, then the payment fails without asking the provider', async () => {
    const payee = await lab.user();
    await pay(payee, 50_000);
    const asked = lab.books.asked.length;
    const { payment } = await pay(payee, 100);
    expect(payment.status).toBe('failed');
    expect(lab.books.asked).toHaveLength(asked);
    const { items } = await lab.overview(user);
    expect(items).toMatchObject([
      { kind: 'charge', amountCents: 100, status: 'failed', reason: 'limit', paymentId: payment.id },
      { kind: 'charge', amountCents: 50_000, status: 'settled', reason: null },
    ]);
    // The balance pays whatever the limit is.
    await lab.book(user, 100);
    expect((await pay(payee, 100)).payment.status).toBe('settled');
  });

  it('given a limit that is reached, when a request is approved, then that is refused and stays possible later', async () => {
    const payee = await lab.user();
    await pay(payee, 50_000);
    const request = await lab.instance.create(payee, user, { action: 'charge' });
    const refused = await attempt(lab.instance.act(user, 'approve', request.payment.id));
    expect(refused).toMatchObject({ code: 'insufficient_funds', message: expect.stringContaining('daily limit') });
    lab.funding.aheadMs += DAY_MS + 1;
    expect((await lab.instance.act(user, 'approve', request.payment.id)).status).toBe('settled');
  });

  it('given a limit that is reached, when a trusted friend charges, then it is a request, which can be approved later', async () => {
    const friend = await lab.user();
    await lab.funding.lab.know(pair(user, friend, { trusts: true }));
    await pay(friend, 50_000);
    const { payment } = await lab.instance.create(friend, user, { action: 'charge' });
    expect(payment.status).toBe('pending');
    lab.funding.aheadMs += DAY_MS + 1;
    expect((await lab.instance.act(user, 'approve', payment.id)).status).toBe('settled');
  });

  it('given five declined charges, when one more is requested, then the provider is not asked until the day is over', async () => {
    const payee = await lab.user();
    lab.books.nextCharge = 'declined';
    for (let count = 0; count < 3; count += 1) await lab.deposit(user, sourceKey, 100);
    for (let count = 0; count < 2; count += 1) await pay(payee, 100);
    const asked = lab.books.asked.length;
    expect(await attempt(lab.deposit(user, sourceKey, 100))).toMatchObject({ code: 'not_permitted' });
    expect((await pay(payee, 100)).payment.status).toBe('failed');
    expect(lab.books.asked).toHaveLength(asked);
    lab.books.nextCharge = 'approved';
    lab.funding.aheadMs += DAY_MS + 1;
    expect(await lab.deposit(user, sourceKey, 100)).toMatchObject({ status: 'settled' });
  });

  it('given charges that will be declined, when twenty are requested at once, then the provider is asked for five', async () => {
    lab.books.nextCharge = 'declined';
    const before = lab.books.charges.size;
    await Promise.all(Array.from({ length: 20 }, () => attempt(lab.deposit(user, sourceKey, 1))));
    expect(lab.books.charges.size - before).toBe(5);
  });

  it('given RATE_LIMITS=off, when payments race, then those of the source are limited all the same', async () => {
    const payee = await lab.user();
    const payments = await Promise.all(Array.from({ length: 8 }, () => pay(payee, 20_000)));
    expect(settled(payments)).toHaveLength(2);
  });

  describe('money that came from a source', () => {
    it('given a deposit, when it is withdrawn, then that is refused until its time is over', async () => {
      await lab.deposit(user, sourceKey, 500);
      await lab.book(user, 100);
      expect(await lab.overview(user)).toMatchObject({ balanceCents: 600, withdrawableCents: 100 });
      expect(await attempt(lab.withdraw(user, 101))).toMatchObject({ code: 'insufficient_funds' });
      expect(await lab.withdraw(user, 100)).toMatchObject({ status: 'settled' });
      lab.funding.aheadMs += HOLD_MS + 1;
      expect(await lab.withdraw(user, 500)).toMatchObject({ status: 'settled' });
    });

    it('given a payment that a source paid, when its payee withdraws, then it waits, and a payment from a balance does not', async () => {
      const { user: payee } = await lab.userWithSource();
      await pay(payee, 300);
      expect(await lab.overview(payee)).toMatchObject({ balanceCents: 300, withdrawableCents: 0 });
      await lab.book(user, 200);
      await pay(payee, 200);
      expect(await lab.overview(payee)).toMatchObject({ balanceCents: 500, withdrawableCents: 200 });
      lab.funding.aheadMs += HOLD_MS + 1;
      expect(await lab.overview(payee)).toMatchObject({ withdrawableCents: 500 });
    });

    it('given an approved request that a source paid, when its payee looks, then the money is held', async () => {
      const { user: payee } = await lab.userWithSource();
      const { payment } = await lab.instance.create(payee, user, { action: 'charge' });
      await lab.instance.act(user, 'approve', payment.id);
      expect(await lab.overview(payee)).toMatchObject({ balanceCents: 100, withdrawableCents: 0 });
    });

    it('given a held pay that a source paid, when its address is verified, then the money of the claimant is held', async () => {
      const { user: claimant } = await lab.userWithSource();
      const target = anEmail();
      await lab.instance.create(user, target, { amountCents: 300 });
      await lab.funding.lab.caughtUp();
      await lab.funding.lab.know({ ...proves(claimant, target), version: 3 });
      await lab.instance.ledger.worker.claim(null);
      await lab.funding.lab.caughtUp();
      expect(await lab.overview(claimant)).toMatchObject({ balanceCents: 300, withdrawableCents: 0 });
    });

    it('given held money, when withdrawals and payments race for the rest, then the held part stays', async () => {
      const payee = await lab.user();
      await lab.deposit(user, sourceKey, 500);
      await lab.book(user, 1_000);
      const racing = [
        ...Array.from({ length: 3 }, () => attempt(lab.withdraw(user, 400))),
        ...Array.from({ length: 3 }, () => attempt(pay(payee, 200))),
      ];
      const answers = await Promise.all(racing);
      const withdrawn = answers.filter((each) => 'status' in each && each.status === 'settled').length;
      expect(withdrawn).toBeLessThanOrEqual(2);
      expect(withdrawn).toBeGreaterThan(0);
      const { balanceCents } = await lab.overview(user);
      expect(balanceCents).toBeGreaterThanOrEqual(0);
    });
  });
});
