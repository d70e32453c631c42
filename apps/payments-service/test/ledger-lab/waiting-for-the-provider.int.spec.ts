import { LIMITS } from '@settle/config';
import type { PaymentView, UserRecord } from '@settle/contracts';
import { eventually } from '@settle/testing';
import type { LabInstance } from './ledger-lab.fixture.js';
import { FundingLab } from './open-charges.fixture.js';
import { actCommand, anEmail, createCommand, person } from './people.fixture.js';

/** No spec lasts this long: a command that waits to the end fails it. */
const FOR_EVER_MS = 3_600_000;

describe('waiting for the provider', () => {
  let funding: FundingLab;
  let payer: UserRecord;
  let payee: UserRecord;

  beforeEach(async () => {
    funding = await FundingLab.open();
  });
  afterEach(async () => {
    await funding.expectInOrder();
    await funding.lab.close();
  });

  async function start(waitMs?: number): Promise<LabInstance> {
    const instance = await funding.instance(waitMs === undefined ? {} : { waitMs });
    ({ payer, payee } = await funding.people());
    return instance;
  }
  const statusOf = async (instance: LabInstance, { id }: Pick<PaymentView, 'id'>) => {
    await funding.lab.caughtUp();
    return (await instance.view(payer, id)).status;
  };

  it('given a provider that does not answer, when paid, then it is pending after the wait, and settled once the answer comes', async () => {
    const instance = await start(1);
    const release = funding.books.hold();
    const { payment } = await instance.create(payer, payee);
    expect(payment.status).toBe('pending');
    release();
    await eventually(async () => expect(await statusOf(instance, payment)).toBe('settled'));
  });

  it('given a pay that waits, when it is cancelled, then it is at once, and other commands do not wait either', async () => {
    const instance = await start(FOR_EVER_MS);
    const release = funding.books.hold();
    const command = createCommand(payer, payee);
    const waiting = instance.commands.create(command);
    await eventually(() => Promise.resolve(expect(funding.books.asked).toEqual(['put charge 1'])));
    const other = (await instance.create(payee, payer, { action: 'charge' })).payment;
    expect((await instance.act(payee, 'cancel', other.id)).status).toBe('cancelled');
    expect((await instance.act(payer, 'cancel', command.paymentId)).status).toBe('cancelled');
    release();
    expect((await waiting).payment.status).toBe('cancelled');
    await funding.later(instance);
    expect(await instance.balance(payer)).toBe(0);
  });

  it('given all places taken by commands that wait, when one more pays, then it does not wait and the worker asks', async () => {
    const instance = await start(FOR_EVER_MS);
    const payers = Array.from({ length: LIMITS.payments.fundingWaits }, () => person({ fundingSourceId: 'source-1' }));
    await funding.lab.know(...payers);
    const release = funding.books.hold();
    const waiting = payers.map((each) => instance.create(each, payee));
    await eventually(() => Promise.resolve(expect(funding.books.asked.length).toBe(payers.length)));
    const { payment } = await instance.create(payer, payee);
    expect([payment.status, funding.books.asked.length]).toEqual(['pending', payers.length]);
    release();
    const statuses = (await Promise.all(waiting)).map((created) => created.payment.status);
    expect(new Set(statuses)).toEqual(new Set(['settled']));
    await funding.later(instance, 2_500);
    expect(await statusOf(instance, payment)).toBe('settled');
  });

  it('given five commands that waited in vain, when the sixth comes, then it does not wait', async () => {
    const instance = await start(1);
    const release = funding.books.hold();
    for (let command = 1; command <= 5; command += 1) await instance.create(payer, payee);
    // Five open charges of one user are as many as there may be.
    ({ payer, payee } = await funding.people());
    const { payment } = await instance.create(payer, payee);
    expect(payment.status).toBe('pending');
    release();
    await eventually(async () => expect(await statusOf(instance, payment)).toBe('settled'));
  });

  it('given a pending response under an idempotency key, when the payment has settled, then the key still replays it', async () => {
    const instance = await start();
    funding.books.nextCharge = 'pending';
    const idempotency = { key: 'once', requestHash: 'hash' };
    const command = createCommand(payer, payee, { idempotency });
    const { payment } = await instance.commands.create(command);
    funding.books.decide(`${payment.id}:${payer.card.id}:1`, 'approved');
    await funding.later(instance);
    const again = await instance.commands.create(createCommand(payer, payee, { idempotency }));
    expect([again.payment.id, again.payment.status, again.isReplayed]).toEqual([payment.id, 'pending', true]);
    expect(await statusOf(instance, payment)).toBe('settled');
  });

  describe('whose answers are lost or wrong', () => {
    let instance: LabInstance;

    beforeEach(async () => (instance = await start()));

    it('given a lost answer, when the worker asks again, then the same charge settles the pay', async () => {
      funding.books.losesAnswers = true;
      const { payment } = await instance.create(payer, payee);
      expect(payment.status).toBe('pending');
      funding.books.losesAnswers = false;
      await funding.later(instance, 2_500);
      expect([await statusOf(instance, payment), funding.books.charges.size]).toEqual(['settled', 1]);
    });

    it('given a request that never arrived, when its time has passed, then a 404 declines it', async () => {
      funding.books.isAway = true;
      const { payment } = await instance.create(payer, payee);
      funding.books.isAway = false;
      await funding.later(instance, 40_000);
      expect(await statusOf(instance, payment)).toBe('pending');
      await funding.later(instance, 40_000);
      expect([await statusOf(instance, payment), funding.books.charges.size]).toEqual(['failed', 0]);
    });

    it('given an answer that comes twice, when both are applied, then the money is added once', async () => {
      funding.books.nextCharge = 'pending';
      const { payment } = await instance.create(payer, payee);
      funding.books.decide(`${payment.id}:${payer.card.id}:1`, 'approved');
      const follow = () => instance.ledger.funding?.followChange(payment.id, payer.card.id);
      await Promise.all([follow(), follow(), follow()]);
      expect([await statusOf(instance, payment), await instance.balance(payee)]).toEqual(['settled', 100]);
    });

    it('given an answer with another amount, when it comes, then nothing moves and the payment waits', async () => {
      funding.books.saidCents = 101;
      const { payment } = await instance.create(payer, payee);
      await funding.later(instance);
      expect([payment.status, await statusOf(instance, payment)]).toEqual(['pending', 'pending']);
      expect(await funding.walletEvents(payer)).toEqual(['WalletOpened', 'FundingRequested']);
      funding.books.saidCents = null;
      await funding.later(instance);
      expect(await statusOf(instance, payment)).toBe('settled');
    });

    it('given a charge that was open before there was a provider, when one is set, then it is cancelled under its old key', async () => {
      const unknown = () => Promise.resolve('unknown' as const);
      const silent = { charge: unknown, repay: unknown };
      const earlier = await funding.instance({ provider: null, sources: silent });
      await funding.lab.know(payer, payee);
      await expect(earlier.create(payer, payee)).rejects.toMatchObject({ code: 'outcome_unknown' });
      await earlier.stop();
      await funding.later(instance, 2_500);
      await eventually(async () => expect(await funding.walletEvents(payer)).toContain('DebitRefused'));
      await funding.lab.caughtUp();
      expect(funding.books.asked).toEqual(['cancel+get charge 1']);
      const { rows } = await funding.lab.pool.query('select status from payments');
      expect(rows).toEqual([{ status: 'failed' }]);
    });

    const cancelHeld = async () => {
      const { payment } = await instance.create(payer, anEmail());
      return instance.commands.act(actCommand(payer, 'cancel', payment.id));
    };

    it('given a repayment that is answered, when a held pay is cancelled, then the money is back and the refund is there', async () => {
      const cancelled = await cancelHeld();
      expect([cancelled.status, cancelled.refund?.status]).toEqual(['cancelled', 'settled']);
      expect([await instance.balance(payer), funding.books.heldCents]).toEqual([0, 0]);
    });

    it('given a repayment without an answer, when a held pay is cancelled, then its refund is null until the money is back', async () => {
      const { payment } = await instance.create(payer, anEmail());
      funding.books.losesAnswers = true;
      const cancelled = await instance.act(payer, 'cancel', payment.id);
      expect([cancelled.status, cancelled.refund]).toEqual(['cancelled', null]);
      expect((await instance.view(payer, payment.id)).refund).toBeNull();
      funding.books.losesAnswers = false;
      await funding.later(instance, 2_500);
      expect((await instance.view(payer, payment.id)).refund?.status).toBe('settled');
      expect([await instance.balance(payer), funding.books.repayments.size]).toEqual([0, 1]);
    });

    it('given a provider that takes nothing back, when a held pay is cancelled, then the money stays as balance', async () => {
      funding.books.nextRepayment = 'failed';
      await cancelHeld();
      expect([await instance.balance(payer), funding.books.heldCents]).toEqual([100, 100]);
    });

    it('given a repayment that never arrived, when its time has passed, then it is requested under the next key', async () => {
      const { payment } = await instance.create(payer, anEmail());
      funding.books.isAway = true;
      await instance.act(payer, 'cancel', payment.id);
      funding.books.isAway = false;
      await funding.later(instance, 70_000);
      expect([...funding.books.repayments.keys()]).toEqual([`${payment.id}:${payer.card.id}:refund:2`]);
      expect([await instance.balance(payer), funding.books.heldCents]).toEqual([0, 0]);
    });
  });
});
