import type { PaymentView, UserRecord } from '@settle/contracts';
import { expiryAction } from '../../src/commands/payment-actions.js';
import type { LabInstance } from './ledger-lab.fixture.js';
import { FundingLab } from './open-charges.fixture.js';
import { anEmail, pair, proves } from './people.fixture.js';

describe('a payment whose charge is open', () => {
  let funding: FundingLab;
  let instance: LabInstance;
  let payer: UserRecord;
  let payee: UserRecord;

  beforeEach(async () => {
    funding = await FundingLab.open();
    instance = await funding.instance();
    ({ payer, payee } = await funding.people());
    funding.books.nextCharge = 'pending';
  });
  afterEach(async () => {
    await funding.expectInOrder();
    await funding.lab.close();
  });

  const pay = async () => (await instance.create(payer, payee)).payment;
  const hold = async () => (await instance.create(payer, anEmail())).payment;
  const request = async () => (await instance.create(payee, payer, { action: 'charge' })).payment;
  const trusted = async () => {
    await funding.lab.know(pair(payer, payee, { trusts: true }));
    return request();
  };
  const balances = async () => [await instance.balance(payer), await instance.balance(payee)];
  const seenBy = async (user: UserRecord, { id }: PaymentView) => {
    await funding.lab.caughtUp();
    return (await instance.view(user, id)).status;
  };
  const keyOf = ({ id }: PaymentView, attempt = 1) => `${id}:${payer.card.id}:${attempt}`;
  /** The provider decides, and its change is followed. */
  const decide = async (payment: PaymentView, state: 'approved' | 'declined', attempt = 1) => {
    funding.books.decide(keyOf(payment, attempt), state);
    await instance.ledger.funding?.followChange(payment.id, payer.card.id);
    await funding.lab.caughtUp();
  };

  describe('that the provider approves', () => {
    it('given a pay, when the provider says pending, then it is pending for both and moves no balance, until it settles', async () => {
      const payment = await pay();
      expect([payment.status, await seenBy(payee, payment), ...(await balances())]).toEqual([
        'pending',
        'pending',
        0,
        0,
      ]);
      await decide(payment, 'approved');
      expect([await seenBy(payee, payment), ...(await balances())]).toEqual(['settled', 0, 100]);
      const steps = ['WalletOpened', 'FundingRequested', 'FundsAdded', 'FundsDebited'];
      expect(await funding.walletEvents(payer)).toEqual(steps);
    });

    it('given a provider that approves at once, when paid, then the response has settled', async () => {
      funding.books.nextCharge = 'approved';
      expect((await pay()).status).toBe('settled');
      expect(await balances()).toEqual([0, 100]);
    });

    it('given a payer who was frozen and has lost the source, when the charge is approved, then it settles all the same', async () => {
      const payment = await pay();
      await funding.lab.know({ ...payer, version: 2, isFrozen: true, fundingSourceId: null });
      await decide(payment, 'approved');
      expect(await seenBy(payee, payment)).toBe('settled');
    });

    it('given a trusted charge, when it is approved, then it settles', async () => {
      const payment = await trusted();
      expect(payment.status).toBe('pending');
      await decide(payment, 'approved');
      expect([await seenBy(payee, payment), ...(await balances())]).toEqual(['settled', 0, 100]);
    });

    it('given an approved request, when the charge is approved, then it settles', async () => {
      const payment = await request();
      expect((await instance.act(payer, 'approve', payment.id)).status).toBe('pending');
      await decide(payment, 'approved');
      expect([await seenBy(payee, payment), ...(await balances())]).toEqual(['settled', 0, 100]);
    });

    it('given a held pay, when its address is verified before it is funded, then it is claimed only after', async () => {
      const target = anEmail();
      const { payment } = await instance.create(payer, target);
      await funding.lab.caughtUp();
      const claimant = proves(payee, target);
      await funding.lab.know(claimant);
      await instance.ledger.worker.claim(null);
      expect(await seenBy(payer, payment)).toBe('pending');
      await decide(payment, 'approved');
      await instance.ledger.worker.claim(null);
      expect([await seenBy(payer, payment), ...(await balances())]).toEqual(['settled', 0, 100]);
    });
  });

  describe('that the provider declines', () => {
    it('given a pay, when it is declined, then it has failed for that reason', async () => {
      const payment = await pay();
      await decide(payment, 'declined');
      expect(await seenBy(payer, payment)).toBe('failed');
      const { rows } = await funding.lab.pool.query<{ data: string }>(
        `select data from events where type = 'PaymentFailed'`,
      );
      expect(rows.map(({ data }) => JSON.parse(data) as object)).toMatchObject([{ reason: 'funding_declined' }]);
    });

    it('given a trusted charge, when it is declined, then it stays pending as a request', async () => {
      const payment = await trusted();
      await decide(payment, 'declined');
      expect(await seenBy(payer, payment)).toBe('pending');
      await instance.fund(payer, 100);
      expect((await instance.act(payer, 'approve', payment.id)).status).toBe('settled');
      funding.bookedCents = 100;
    });

    it('given an approval, when it is declined later, then it stays pending and the next approval is another attempt', async () => {
      const payment = await request();
      await instance.act(payer, 'approve', payment.id);
      await decide(payment, 'declined');
      expect(await seenBy(payer, payment)).toBe('pending');
      expect((await instance.act(payer, 'approve', payment.id)).status).toBe('pending');
      await decide(payment, 'approved', 2);
      expect(await seenBy(payee, payment)).toBe('settled');
    });

    it('given an approval, when it is declined at once, then insufficient_funds', async () => {
      funding.books.nextCharge = 'declined';
      const payment = await request();
      const approval = instance.act(payer, 'approve', payment.id);
      await expect(approval).rejects.toMatchObject({ code: 'insufficient_funds' });
      expect(await funding.walletEvents(payer)).toEqual(['WalletOpened', 'FundingRequested', 'FundingDeclined']);
    });

    it('given a charge that stays pending, when three days have passed, then it is cancelled and the pay has failed', async () => {
      const payment = await pay();
      await funding.later(instance, 3 * 86_400_000 - 60_000);
      expect(await seenBy(payer, payment)).toBe('pending');
      expect(funding.books.asked.some((asked) => asked.startsWith('cancel'))).toBe(false);
      await funding.later(instance);
      expect(await seenBy(payer, payment)).toBe('failed');
    });
  });

  describe('on which users act', () => {
    it('given a balance that has come since, when approved again, then it is pending and no other attempt begins', async () => {
      const payment = await request();
      await instance.act(payer, 'approve', payment.id);
      await instance.fund(payer, 500);
      funding.bookedCents = 500;
      expect((await instance.act(payer, 'approve', payment.id)).status).toBe('pending');
      await decide(payment, 'approved');
      expect(await balances()).toEqual([500, 100]);
    });

    const ends: [string, () => Promise<PaymentView>, (payment: PaymentView) => Promise<PaymentView>, string][] = [
      ['a pay is cancelled', pay, ({ id }) => instance.act(payer, 'cancel', id), 'cancelled'],
      ['a held pay is cancelled', hold, ({ id }) => instance.act(payer, 'cancel', id), 'cancelled'],
      ['a trusted charge is cancelled', trusted, ({ id }) => instance.act(payee, 'cancel', id), 'cancelled'],
      ['a trusted charge is denied', trusted, ({ id }) => instance.act(payer, 'deny', id), 'cancelled'],
      ['an approved request is denied', approved, ({ id }) => instance.act(payer, 'deny', id), 'cancelled'],
      ['an approved request is cancelled', approved, ({ id }) => instance.act(payee, 'cancel', id), 'cancelled'],
      ['a held pay expires', hold, expired, 'expired'],
      ['an approved request expires', approved, expired, 'expired'],
    ];

    it.each(ends)('given open funding, when %s, then it ends at once and the charge is cancelled', async (...life) => {
      const [, begin, end, status] = life;
      const payment = await begin();
      const ended = await end(payment);
      expect([ended.status, ended.refund]).toEqual([status, null]);
      await funding.later(instance);
      expect(funding.books.charges.get(keyOf(payment))?.state).toBe('cancelled');
      expect(await balances()).toEqual([0, 0]);
      expect(await seenBy(payer, payment)).toBe(status);
    });

    it.each(ends)(
      'given open funding, when %s and the charge is approved all the same, then it is repaid',
      async (...life) => {
        const [, begin, end, status] = life;
        funding.books.ignoresCancels = true;
        const payment = await begin();
        await end(payment);
        await decide(payment, 'approved');
        await funding.later(instance);
        expect([await seenBy(payer, payment), ...(await balances()), funding.books.heldCents]).toEqual([
          status,
          0,
          0,
          0,
        ]);
        expect((await funding.walletEvents(payer)).slice(2)).toEqual([
          ...['FundsAdded', 'FundsDebited', 'RepaymentRequested', 'FundsReturned', 'FundsWithdrawn'],
        ]);
      },
    );

    it('given a charge that the provider never decides, when its held pay is 31 days old, then the worker expires it', async () => {
      funding.books.ignoresCancels = true;
      const payment = await hold();
      await funding.later(instance, 31 * 86_400_000);
      expect(await seenBy(payer, payment)).toBe('expired');
    });

    async function approved(): Promise<PaymentView> {
      const payment = await request();
      return instance.act(payer, 'approve', payment.id);
    }

    async function expired({ id }: PaymentView): Promise<PaymentView> {
      const { transfers, clock } = instance.ledger;
      await transfers.advance(id, expiryAction(null, 0, clock.nowUs()));
      await funding.lab.caughtUp();
      return instance.view(payer, id);
    }
  });
});
