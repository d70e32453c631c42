import type { SourceOrder } from '@settle/payments-domain';
import type { FundingSources, SourceResponse } from '../../src/transfer/funding.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { loseApproval } from './lost-approval.fixture.js';
import { anEmail, pair, person } from './people.fixture.js';
import { testCards } from './test-cards.fixture.js';

const CARD = { fundingSourceId: 'test-card-1' };

/** A source whose answers a spec gives, and which remembers what it was asked. */
class ScriptedSource implements FundingSources {
  readonly asked: string[] = [];
  chargeAnswer: SourceResponse = 'approved';
  repayAnswer: SourceResponse = 'approved';

  charge(key: string, { totalCents }: SourceOrder): Promise<SourceResponse> {
    this.asked.push(`charge ${key} ${totalCents}`);
    return Promise.resolve(this.chargeAnswer);
  }

  repay(key: string, { totalCents }: SourceOrder): Promise<SourceResponse> {
    this.asked.push(`repay ${key} ${totalCents}`);
    return Promise.resolve(this.repayAnswer);
  }
}

describe('funding sources', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  let source: ScriptedSource;
  let aheadMs = 0;

  beforeEach(async () => {
    lab = await LedgerLab.open();
    source = new ScriptedSource();
    instance = await lab.instance({ sources: source, nowMs: () => Date.now() + aheadMs });
  });
  afterEach(async () => {
    await lab.expectInOrder();
    await lab.close();
  });

  async function people() {
    const [payer, payee] = [person(CARD), person()];
    await lab.know(payer, payee);
    return { payer, payee };
  }

  /** Finishes due work after the read models contain every response. */
  async function later(): Promise<void> {
    await lab.caughtUp();
    aheadMs += 60_000;
    await instance.ledger.worker.runDueWork();
    await lab.caughtUp();
  }

  // Shows error-47
  it('given a source that does not answer, when a pay waits for it, then outcome_unknown until the worker asks again', async () => {
    const { payer, payee } = await people();
    source.chargeAnswer = 'unknown';
    await expect(instance.create(payer, payee)).rejects.toMatchObject({ code: 'outcome_unknown' });
    await later();
    const { rows } = await lab.pool.query<{ id: string; status: string }>('select id, status from payments');
    expect(rows).toEqual([{ id: expect.any(String) as string, status: 'pending' }]);
    source.chargeAnswer = 'approved';
    await later();
    expect((await instance.view(payee, rows[0]?.id ?? '')).status).toBe('settled');
    expect(new Set(source.asked).size).toBe(1);
    expect(source.asked.length).toBe(3);
    expect(await instance.balance(payee)).toBe(100);
  });

  it.each([
    { said: 'approved', status: 'settled', balances: [0, 100] },
    { said: 'declined', status: 'pending', balances: [0, 0] },
  ] as const)(
    'given an approval without an answer, when the source has $said at last, then $status',
    async ({ said, status, balances }) => {
      const { payer, payee } = await people();
      const { payment } = await instance.create(payee, payer, { action: 'charge' });
      source.chargeAnswer = 'unknown';
      await expect(instance.act(payer, 'approve', payment.id)).rejects.toMatchObject({ code: 'outcome_unknown' });
      source.chargeAnswer = said;
      await later();
      expect((await instance.view(payer, payment.id)).status).toBe(status);
      expect([await instance.balance(payer), await instance.balance(payee)]).toEqual(balances);
    },
  );

  it('given an approval that was decided, when the request is cancelled first, then it is refused and the money is back', async () => {
    const { approval, paymentId, payer, requester } = await loseApproval(lab, instance);
    expect(approval).toMatchObject({ status: 'rejected', reason: { code: 'payment_not_pending' } });
    expect((await instance.view(payer, paymentId)).status).toBe('cancelled');
    expect([await instance.balance(payer), await instance.balance(requester)]).toEqual([0, 0]);
  });

  it('given an approval that the source declined, when approved again, then it is the next attempt', async () => {
    const { payer, payee } = await people();
    const { payment } = await instance.create(payee, payer, { action: 'charge' });
    source.chargeAnswer = 'declined';
    const approve = () => instance.act(payer, 'approve', payment.id);
    await expect(approve()).rejects.toMatchObject({ code: 'insufficient_funds' });
    expect((await instance.view(payer, payment.id)).status).toBe('pending');
    source.chargeAnswer = 'approved';
    expect((await approve()).status).toBe('settled');
    expect(source.asked.map((asked) => asked.split(':').at(-1))).toEqual(['1 100', '2 100']);
  });

  it('given an approval whose source is silent, when the request is cancelled, then the source has to answer first', async () => {
    const { payer, payee } = await people();
    const { payment } = await instance.create(payee, payer, { action: 'charge' });
    source.chargeAnswer = 'unknown';
    await expect(instance.act(payer, 'approve', payment.id)).rejects.toMatchObject({ code: 'outcome_unknown' });
    await expect(instance.act(payee, 'cancel', payment.id)).rejects.toMatchObject({ code: 'outcome_unknown' });
    source.chargeAnswer = 'declined';
    expect((await instance.act(payee, 'cancel', payment.id)).status).toBe('cancelled');
    expect(await instance.balance(payer)).toBe(0);
  });

  // Shows act-33
  it('given a held pay from a source, when cancelled, then the source is repaid and the balance stays', async () => {
    const { payer } = await people();
    const { payment, balanceCents } = await instance.create(payer, anEmail());
    expect([payment.status, balanceCents]).toEqual(['pending', 0]);
    const cancelled = await instance.act(payer, 'cancel', payment.id);
    expect(cancelled.refund?.status).toBe('settled');
    expect(source.asked.map((asked) => asked.split(' ')[0])).toEqual(['charge', 'repay']);
    expect(await instance.balance(payer)).toBe(0);
  });

  // Shows act-34
  it('given a source that takes nothing back, when a held pay is cancelled, then the money stays as balance', async () => {
    const { payer } = await people();
    const { payment } = await instance.create(payer, anEmail());
    source.repayAnswer = 'declined';
    expect((await instance.act(payer, 'cancel', payment.id)).refund?.status).toBe('settled');
    expect(await instance.balance(payer)).toBe(100);
  });

  it('given a repayment without an answer, when the worker asks again, then the money has gone back once', async () => {
    const { payer } = await people();
    const { payment } = await instance.create(payer, anEmail());
    source.repayAnswer = 'unknown';
    await expect(instance.act(payer, 'cancel', payment.id)).rejects.toMatchObject({ code: 'outcome_unknown' });
    source.repayAnswer = 'approved';
    await later();
    expect((await instance.view(payer, payment.id)).refund?.status).toBe('settled');
    expect(await instance.balance(payer)).toBe(0);
    expect((await lab.pool.query('select from open_work')).rowCount).toBe(0);
  });
});

describe('fees', () => {
  let lab: LedgerLab;
  let instance: LabInstance;

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance({ env: { FEE_BPS: '150', FEE_FIXED_CENTS: '10' }, sources: testCards });
  });
  afterAll(() => lab.close());

  it('given a fee, when money moves in every way, then the payer pays it once, and gets it back with a held pay', async () => {
    const [payer, payee, truster, carded] = [person(), person(), person(), person(CARD)];
    await lab.know(payer, payee, truster, carded, pair(truster, payee, { trusts: true }));
    await instance.fund(payer, 10_000);
    await instance.fund(truster, 10_000);
    // 1.5 % of 1.00, rounded half up, and 0.10.
    const { payment, balanceCents } = await instance.create(payer, payee);
    expect([payment.feeCents, balanceCents, await instance.balance(payee)]).toEqual([12, 9_888, 100]);
    const held = await instance.create(payer, anEmail());
    expect([held.payment.feeCents, held.balanceCents]).toEqual([12, 9_776]);
    const { refund } = await instance.act(payer, 'cancel', held.payment.id);
    expect([refund?.amountCents, refund?.feeCents, await instance.balance(payer)]).toEqual([100, null, 9_888]);
    const trusted = await instance.create(payee, truster, { action: 'charge' });
    expect([trusted.payment.feeCents, await instance.balance(truster)]).toEqual([12, 9_888]);
    const charge = await instance.create(payee, carded, { action: 'charge', amountCents: 10_000 });
    await instance.act(carded, 'approve', charge.payment.id);
    expect([charge.payment.feeCents, await instance.balance(carded)]).toEqual([160, 0]);
    expect(await instance.balance(payee)).toBe(10_200);
    const books = await lab.expectInOrder();
    expect(books).toEqual({
      walletCents: 29_976,
      transitCents: 0,
      payoutCents: 0,
      feeCents: 184,
      fundingCents: 30_160,
    });
  });

  it('given a held pay with a fee, when it expires, then both come back and the refund has no fee', async () => {
    let aheadMs = 0;
    const env = { FEE_BPS: '250', FEE_FIXED_CENTS: '0' };
    const withFee = await lab.instance({ env, nowMs: () => Date.now() + aheadMs });
    const payer = person();
    await lab.know(payer);
    await withFee.fund(payer, 1_000);
    // 2.5 % of 0.20 is half a cent, which is one.
    const { payment, balanceCents } = await withFee.create(payer, anEmail(), { amountCents: 20 });
    expect([payment.feeCents, balanceCents]).toEqual([1, 979]);
    await lab.caughtUp();
    aheadMs = 31 * 86_400_000;
    await withFee.ledger.worker.runDueWork();
    await lab.caughtUp();
    const expired = await withFee.view(payer, payment.id);
    expect([expired.status, expired.feeCents, expired.refund?.amountCents, expired.refund?.feeCents]).toEqual([
      ...['expired', 1],
      ...[20, null],
    ]);
    expect(await withFee.balance(payer)).toBe(1_000);
    await withFee.stop();
  });

  it('given a balance that covers the amount and not the fee, when paid, then it fails', async () => {
    const [payer, payee] = [person(), person()];
    await lab.know(payer, payee);
    await instance.fund(payer, 111);
    expect((await instance.create(payer, payee)).payment.status).toBe('failed');
    await instance.fund(payer, 1);
    expect((await instance.create(payer, payee)).payment.status).toBe('settled');
  });
});
