import { randomUUID } from 'node:crypto';
import type { FundingOutcome, PaymentView, UserRecord } from '@settle/contracts';
import { rebuildReadModels } from '../../src/operators/rebuild.js';
import { expiryAction } from '../../src/commands/payment-actions.js';
import { READ_MODEL_NAMES } from '../../src/read-models/registry.js';
import { anEmail } from '../ledger-lab/people.fixture.js';
import { rebuildParts } from '../ledger-lab/rebuild-parts.fixture.js';
import { DAY_MS, FundingUsersLab } from './funding-users.fixture.js';

/** After this time, also after a failure, a notice is due. */
const DUE_AFTER_MS = 16_000;

describe('notices about money', () => {
  let lab: FundingUsersLab;
  beforeAll(async () => {
    lab = await FundingUsersLab.open({ env: { DEV_TOOLS: 'true' } });
  });
  beforeEach(() => lab.reset());
  afterEach(async () => {
    await send().catch(() => 0);
    await lab.expectInOrder();
  });
  afterAll(() => lab.close());

  async function send(): Promise<number> {
    await lab.funding.lab.caughtUp();
    lab.funding.aheadMs += DUE_AFTER_MS;
    const { noticeSender } = lab.instance.ledger;
    if (noticeSender === null) throw new Error('No provider is set');
    return noticeSender.runDue();
  }

  async function userWith(balanceCents: number): Promise<UserRecord> {
    const { user } = await lab.userWithSource();
    await lab.book(user, balanceCents);
    return user;
  }

  async function requestFrom(payer: UserRecord): Promise<PaymentView> {
    return (await lab.instance.create(await lab.user(), payer, { action: 'charge' })).payment;
  }

  const nowUs = () => lab.instance.ledger.clock.nowUs();
  const notice = ({ card }: UserRecord, outcome: FundingOutcome, id: string) => ({ userId: card.id, outcome, id });

  describe('given an approval that the card declines', () => {
    let payer: UserRecord;
    let payment: PaymentView;
    beforeEach(async () => {
      ({ user: payer } = await lab.userWithSource());
      payment = await requestFrom(payer);
      lab.books.nextCharge = 'declined';
      await lab.instance.act(payer, 'approve', payment.id).catch(() => undefined);
    });

    // Shows friend-36
    it('when notices are sent, then the approver is notified, once for each attempt', async () => {
      const first = notice(payer, 'approval_declined', `${payment.id}:${payer.card.id}:1`);
      expect([await send(), await send()]).toEqual([1, 0]);
      expect(lab.outcomes).toEqual([first]);
      await lab.instance.act(payer, 'approve', payment.id).catch(() => undefined);
      expect(await send()).toBe(1);
      expect(lab.outcomes).toEqual([first, { ...first, id: `${payment.id}:${payer.card.id}:2` }]);
    });

    it('when the request has ended before notices are sent, then no user is notified', async () => {
      await lab.instance.act(payer, 'deny', payment.id);
      expect([await send(), lab.outcomes]).toEqual([1, []]);
    });
  });

  it('given a pay that the card declines, when notices are sent, then no user is notified: the answer said so', async () => {
    const { user } = await lab.userWithSource();
    lab.books.nextCharge = 'declined';
    const { payment } = await lab.instance.create(user, await lab.user());
    expect([payment.status, await send(), lab.outcomes]).toEqual(['failed', 0, []]);
  });

  // Shows friend-36
  it.each(['failed', 'returned'] as const)(
    'given a payout that has %s, when notices are sent, then its owner is notified once',
    async (state) => {
      const user = await userWith(500);
      lab.books.nextPayout = state;
      const { id } = await lab.withdraw(user);
      expect([await send(), await send()]).toEqual([1, 0]);
      expect(lab.outcomes).toEqual([notice(user, 'withdrawal_returned', id)]);
    },
  );

  it('given a withdrawal that its owner cancels, and one that an operator refuses, when notices are sent, then the refused one has its notice', async () => {
    const [user, other] = [await userWith(50_000), await userWith(50_000)];
    const [cancelled, refused] = [await lab.withdraw(user, 50_000), await lab.withdraw(other, 50_000)];
    await lab.cancel(user, cancelled.id);
    const decision = { operator: 'olivia', reason: 'checked', reference: 'ticket 7' };
    await lab.instance.ledger.fundingUnits?.decisions.decide(refused.id, { type: 'refuse', decision, atUs: nowUs() });
    await lab.later(3_000);
    expect(await send()).toBe(2);
    expect(lab.outcomes).toEqual([notice(other, 'withdrawal_returned', refused.id)]);
  });

  // Shows friend-36
  it('given a repayment that is returned after it was paid, when notices are sent, then the payer is notified once', async () => {
    const { user } = await lab.userWithSource();
    const { payment } = await lab.instance.create(user, anEmail());
    await lab.instance.act(user, 'cancel', payment.id);
    await lab.readChanges();
    const key = `${payment.id}:${user.card.id}:refund`;
    lab.books.set('repayment', key, 'returned');
    await lab.readChanges();
    // The line of the return waited, too: that it was repaid, the next line says.
    expect([await send(), await send()]).toEqual([2, 0]);
    expect(lab.outcomes).toEqual([notice(user, 'repayment_returned', key)]);
  });

  it.each(['cancelled', 'expired'])(
    'given a held pay that is %s, when its repayment is refused for good, then the payer is notified, and of a paid one not',
    async (end) => {
      const [{ user }, { user: repaid }] = [await lab.userWithSource(), await lab.userWithSource()];
      const pay = async (payer: UserRecord, nextRepayment: 'failed' | 'paid') => {
        const { payment } = await lab.instance.create(payer, anEmail());
        lab.books.nextRepayment = nextRepayment;
        if (end === 'cancelled') await lab.instance.act(payer, 'cancel', payment.id);
        else await lab.instance.ledger.transfers.advance(payment.id, expiryAction(null, 0, nowUs()));
        await lab.funding.later(lab.instance, 3_000);
        return payment;
      };
      const refused = await pay(user, 'failed');
      await pay(repaid, 'paid');
      await send();
      expect(lab.outcomes).toEqual([notice(user, 'repayment_returned', `${refused.id}:`)]);
      expect([await lab.balance(user), await lab.balance(repaid)]).toEqual([100, 0]);
    },
  );

  it('given a charge that is approved after it was declined, when its repayment is refused, then the payer is notified', async () => {
    const { user } = await lab.userWithSource();
    lab.books.nextCharge = 'declined';
    const { payment } = await lab.instance.create(user, await lab.user());
    const key = `${payment.id}:${user.card.id}:1`;
    lab.books.nextRepayment = 'failed';
    lab.books.set('charge', key, 'approved');
    await lab.readChanges();
    await lab.funding.later(lab.instance, 3_000);
    await send();
    expect(lab.outcomes).toEqual([notice(user, 'repayment_returned', key)]);
    expect(await lab.balance(user)).toBe(100);
  });

  describe('given two payouts that are returned', () => {
    let returned: ReturnType<typeof notice>[];
    beforeEach(async () => {
      const [user, other] = [await userWith(500), await userWith(500)];
      lab.books.nextPayout = 'returned';
      const withdraw = async (owner: UserRecord) =>
        notice(owner, 'withdrawal_returned', (await lab.withdraw(owner, 500, randomUUID())).id);
      returned = [await withdraw(user), await withdraw(other)];
    });

    it('when auth-service is unavailable, then both are notified once it is back', async () => {
      lab.isAuthAway = true;
      await expect(send()).rejects.toMatchObject({ code: 'service_unavailable' });
      lab.isAuthAway = false;
      expect(await send()).toBe(2);
      expect(lab.outcomes).toEqual(expect.arrayContaining(returned));
      expect(lab.outcomes).toHaveLength(2);
    });

    it('when the read models are rebuilt within a week, then the same notices are requested again, and later none', async () => {
      expect(await send()).toBe(2);
      const order = { models: READ_MODEL_NAMES, environment: 'live', acceptsDifferences: false } as const;
      await rebuildReadModels(rebuildParts(lab.funding.lab, lab.instance.store), order);
      lab.outcomes.length = 0;
      await send();
      expect(lab.outcomes).toEqual(expect.arrayContaining(returned));
      await rebuildReadModels(rebuildParts(lab.funding.lab, lab.instance.store), order);
      lab.outcomes.length = 0;
      lab.funding.aheadMs += 8 * DAY_MS;
      expect([await send(), lab.outcomes]).toEqual([0, []]);
    });
  });
});
