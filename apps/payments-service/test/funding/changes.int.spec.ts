import type { PaymentView, UserRecord } from '@settle/contracts';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { anEmail } from '../ledger-lab/people.fixture.js';
import { NO_HOLD } from '../ledger-lab/open-charges.fixture.js';
import { ChangesLab } from './changes-lab.fixture.js';

describe('changes of the provider', () => {
  let lab: ChangesLab;
  let instance: LabInstance;
  let payer: UserRecord;
  let payee: UserRecord;
  let count = 0;

  beforeAll(async () => {
    lab = await ChangesLab.open();
    instance = await lab.funding.instance({ env: NO_HOLD });
  });
  beforeEach(async () => {
    Object.assign(lab.books, { nextCharge: 'approved', nextPayout: 'paid', nextRepayment: 'paid', saidCents: null });
    ({ payer, payee } = await lab.funding.people());
    count += 1;
  });
  afterEach(async () => void (await lab.funding.lab.expectInOrder()));
  afterAll(() => lab.close());

  const keyOf = ({ id }: PaymentView) => `${id}:${payer.card.id}:1`;
  const eventsOf = (owner: UserRecord) => lab.funding.walletEvents(owner);

  /** A pay whose charge is pending. */
  async function payPending(): Promise<PaymentView> {
    lab.books.nextCharge = 'pending';
    const { payment } = await instance.create(payer, payee);
    expect(payment.status).toBe('pending');
    return payment;
  }

  describe('of a charge', () => {
    it('given a pending charge, when only the list says that it is approved, then the pay is settled', async () => {
      const payment = await payPending();
      lab.books.decide(keyOf(payment), 'approved');
      await lab.read(instance);
      expect(await lab.statusOf(instance, payer, payment)).toBe('settled');
      expect(await lab.balance(instance, payee)).toBe(100);
    });

    it('given changes twice and in the wrong order, when they are read again and again, then the money is added once', async () => {
      const payment = await payPending();
      lab.books.decide(keyOf(payment), 'approved');
      const [first, second] = lab.books.changes.slice(-2);
      if (first === undefined || second === undefined) throw new Error('There are no changes');
      lab.books.changes.push(second, first, second, first);
      for (let reads = 1; reads <= 3; reads += 1) {
        await lab.rewind();
        await lab.read(instance);
      }
      expect(await lab.balance(instance, payee)).toBe(100);
      expect(await eventsOf(payer)).toEqual(['WalletOpened', 'FundingRequested', 'FundsAdded', 'FundsDebited']);
    });

    it('given a declined charge, when it is approved all the same, then the money is repaid under a key of its own and the payment stays', async () => {
      lab.books.nextCharge = 'declined';
      const { payment } = await instance.create(payer, payee);
      expect(payment.status).toBe('failed');
      lab.books.set('charge', keyOf(payment), 'approved');
      await lab.read(instance);
      await lab.read(instance);
      expect(lab.books.repayments.get(`${keyOf(payment)}:late`)?.state).toBe('paid');
      const late = ['RepaymentRequested', 'FundsAdded', 'FundsWithdrawn'];
      expect(await eventsOf(payer)).toEqual(['WalletOpened', 'FundingRequested', 'DebitRefused', ...late]);
      expect([await lab.balance(instance, payer), await lab.statusOf(instance, payer, payment)]).toEqual([0, 'failed']);
      expect(await lab.contradictions()).not.toHaveProperty([keyOf(payment)]);
    });

    it('given late money that cannot be repaid, when the provider says so, then it is balance', async () => {
      lab.books.nextCharge = 'declined';
      await lab.deposit(instance, payer, `d${count}`);
      lab.books.nextRepayment = 'failed';
      lab.books.set('charge', `d${count}`, 'approved');
      await lab.read(instance);
      expect([await lab.balance(instance, payer), await lab.fundingStatus('deposit', `d${count}`)]).toEqual([
        500,
        'failed',
      ]);
    });

    it('given an approved charge, when it is declined without a reversal, then nothing moves and it is listed', async () => {
      const { payment } = await instance.create(payer, payee);
      lab.books.set('charge', keyOf(payment), 'declined');
      await lab.read(instance);
      expect(await lab.contradictions()).toMatchObject({ [keyOf(payment)]: 'declined_after_approval' });
      expect(await lab.balance(instance, payee)).toBe(100);
    });

    it('given another amount, when the change is read, then nothing moves, it is listed, and the next change is applied', async () => {
      const [wrong, right] = [await payPending(), await payPending()];
      lab.books.set('charge', keyOf(wrong), 'approved', 99);
      lab.books.decide(keyOf(right), 'approved');
      await lab.read(instance);
      expect(await lab.cursor()).toBe(String(lab.books.changes.length));
      expect(await lab.contradictions()).toMatchObject({ [keyOf(wrong)]: 'other_amount' });
      expect(await lab.statusOf(instance, payer, wrong)).toBe('pending');
      expect(await lab.statusOf(instance, payer, right)).toBe('settled');
    });

    it('given a key that the log does not know, when the change is read, then it is an orphan and the next change is applied', async () => {
      const payment = await payPending();
      // The interface allows 200 characters.
      const long = `${payment.id}:`.padEnd(200, 'k');
      const orphans = [`${payment.id}:${payer.card.id}:7`, `123:456:1`, 'no-deposit', `9999999999999999999:1:1`, long];
      for (const key of orphans) lab.books.add('charge', key, { state: 'approved', amountCents: 100 });
      lab.books.add('payout', `w${count}-orphan`, { state: 'paid', amountCents: 100 });
      lab.books.add('repayment', `r${count}`, { state: 'paid', amountCents: 100, chargeKey: 'no-deposit' });
      lab.books.add('reversal', `v${count}`, { state: 'open', amountCents: 100, chargeKey: 'no-deposit' });
      lab.books.decide(keyOf(payment), 'approved');
      await lab.read(instance);
      expect(await lab.statusOf(instance, payer, payment)).toBe('settled');
      const listed = [...orphans, `w${count}-orphan`, `r${count}`, `v${count}`].map((key) => [key, 'unknown_key']);
      expect(await lab.contradictions()).toMatchObject(Object.fromEntries(listed));
    });
  });

  describe('of repayments and payouts', () => {
    it('given a repayment that was paid, when it is returned days later, then the money is balance, once', async () => {
      const { payment } = await instance.create(payer, anEmail());
      await instance.act(payer, 'cancel', payment.id);
      expect(await lab.balance(instance, payer)).toBe(0);
      await lab.read(instance);
      lab.books.set('repayment', `${payment.id}:${payer.card.id}:refund`, 'returned');
      await lab.read(instance);
      await lab.rewind();
      await lab.read(instance);
      expect(await lab.balance(instance, payer)).toBe(100);
    });

    it('given a held pay whose repayment is refused, when the list says so, then the money stays balance and nothing is left to do', async () => {
      const { payment } = await instance.create(payer, anEmail());
      lab.books.nextRepayment = 'failed';
      await instance.act(payer, 'cancel', payment.id);
      await lab.read(instance);
      expect(await lab.cursor()).toBe(String(lab.books.changes.length));
      expect(await lab.contradictions()).not.toHaveProperty([`${payment.id}:${payer.card.id}:refund`]);
      expect(await lab.balance(instance, payer)).toBe(100);
    });

    it('given a pending repayment without an answer, when the list says that it was accepted, then the money has left', async () => {
      const { payment } = await instance.create(payer, anEmail());
      lab.books.losesAnswers = true;
      await instance.act(payer, 'cancel', payment.id);
      lab.books.losesAnswers = false;
      await lab.read(instance);
      expect(await lab.balance(instance, payer)).toBe(0);
      expect((await eventsOf(payer)).slice(-2)).toEqual(['FundsReturned', 'FundsWithdrawn']);
    });

    it('given a payout that was paid, when it is returned, then the money is balance, once', async () => {
      await lab.deposit(instance, payer, `d${count}`);
      await lab.withdraw(instance, payer, `w${count}`);
      expect([await lab.balance(instance, payer), await lab.fundingStatus('withdrawal', `w${count}`)]).toEqual([
        0,
        'paid',
      ]);
      lab.books.set('payout', `w${count}`, 'returned');
      await lab.read(instance);
      await lab.rewind();
      await lab.read(instance);
      expect([await lab.balance(instance, payer), await lab.fundingStatus('withdrawal', `w${count}`)]).toEqual([
        500,
        'returned',
      ]);
    });

    it('given a ledger restored to before its payout was approved, when the list has the payout, then it can no longer be cancelled, and is paid', async () => {
      const [id, userId] = [`w${count}`, payer.card.id];
      await lab.deposit(instance, payer, `d${count}`);
      const facts = { userId, amountCents: 500, sourceId: 'source-1', booking: null, needsReview: true };
      const event = { type: 'WithdrawalRequested', data: { ...facts, atUs: Date.now() * 1_000 } } as const;
      const { runner, decisions } = lab.units(instance);
      expect(await runner.begin({ kind: 'withdrawal', id, event })).toMatchObject({ waitsFor: 'review' });
      lab.books.add('payout', id, { state: 'pending', amountCents: 500 });
      await lab.read(instance);
      const cancel = { type: 'cancel', byUserId: userId, atUs: Date.now() * 1_000 } as const;
      expect(await decisions.decide(id, cancel)).toBe('too-late');
      lab.books.set('payout', id, 'paid');
      await lab.read(instance);
      expect(await lab.fundingStatus('withdrawal', id)).toBe('paid');
      expect(await lab.balance(instance, payer)).toBe(0);
      expect(await lab.contradictions()).not.toHaveProperty(id);
    });

    it('given a pending payout, when the list says that it failed, then the money is balance; paid after that is listed', async () => {
      await lab.deposit(instance, payer, `d${count}`);
      lab.books.nextPayout = 'pending';
      await lab.withdraw(instance, payer, `w${count}`);
      lab.books.set('payout', `w${count}`, 'failed');
      await lab.read(instance);
      expect(await lab.balance(instance, payer)).toBe(500);
      lab.books.set('payout', `w${count}`, 'paid');
      await lab.read(instance);
      expect(await lab.contradictions()).toMatchObject({ [`w${count}`]: 'answered_otherwise' });
      expect(await lab.balance(instance, payer)).toBe(500);
    });
  });

  describe('of reversals', () => {
    beforeEach(() => lab.deposit(instance, payer, `d${count}`));
    const reverse = (state: string, amountCents = 500) =>
      lab.books.add('reversal', `v${count}`, { state, amountCents, chargeKey: `d${count}` });

    it('given a deposit, when half of its charge is reversed and then won, then the money leaves and comes back, once', async () => {
      reverse('open', 250);
      await lab.read(instance);
      expect(await lab.balance(instance, payer)).toBe(250);
      lab.books.set('reversal', `v${count}`, 'won');
      await lab.read(instance);
      await lab.rewind();
      await lab.read(instance);
      expect(await lab.balance(instance, payer)).toBe(500);
      expect((await eventsOf(payer)).slice(-2)).toEqual(['FundsReversed', 'ReversalReturned']);
    });

    it('given a reversal that is first seen lost, when it is read, then both its events are stored and the balance is below zero', async () => {
      await lab.withdraw(instance, payer, `w${count}`, 400);
      reverse('lost');
      await lab.read(instance);
      const { rows } = await lab.funding.lab.pool.query('select type from events where stream = $1 order by revision', [
        `reversal-v${count}`,
      ]);
      expect(rows).toEqual([{ type: 'ReversalOpened' }, { type: 'ReversalClosed' }]);
      expect(await lab.balance(instance, payer)).toBe(-400);
    });

    it('given a reversal of more than the charge, when it is read, then nothing moves and it is listed', async () => {
      reverse('open', 501);
      await lab.read(instance);
      expect(await lab.contradictions()).toMatchObject({ [`v${count}`]: 'other_amount' });
      expect(await lab.balance(instance, payer)).toBe(500);
    });
  });

  it('given a reversal of a payment whose answer is not stored, when it is read, then the charge is taken in first', async () => {
    const payment = await payPending();
    lab.books.decide(keyOf(payment), 'approved');
    const [approval] = lab.books.changes.splice(-1);
    lab.books.add('reversal', `v${count}`, { state: 'open', amountCents: 100, chargeKey: keyOf(payment) });
    if (approval !== undefined) lab.books.changes.push(approval);
    await lab.read(instance);
    expect([await lab.balance(instance, payer), await lab.balance(instance, payee)]).toEqual([-100, 100]);
  });
});
