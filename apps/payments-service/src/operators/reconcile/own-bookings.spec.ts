import type { WalletEvent } from '@settle/payments-domain';
import type { LedgerEvent } from '../../storage/streams.js';
import { OwnBookings, type OwnFact } from './own-bookings.js';

const PERIOD = { fromUs: 100, toUs: 200 };
const P = { paymentId: '7', balanceCents: 0, atUs: 150 };
const D = { paymentId: null, fundingId: 'd-1', balanceCents: 0, atUs: 150 };
const BOOKING = { operator: 'jo', reason: 'wire', reference: 'RF' };

const inWallet = (event: WalletEvent): LedgerEvent => ({ kind: 'wallet', walletId: '9', revision: 0, event });
const charge = { chargeKey: '7:9:1', sourceId: 's', attempt: 1, amountCents: 500 };
const repayment = { chargeKey: '7:9:1', key: '7:9:refund', beginBeforeUs: 9 };

function factsOf(...events: readonly LedgerEvent[]): Pick<OwnFact, 'kind' | 'match' | 'state' | 'cents'>[] {
  const own = new OwnBookings(PERIOD);
  return events
    .flatMap((event) => own.take(event))
    .map(({ kind, match, state, cents }) => ({ kind, match, state, cents }));
}

describe('the bookings that our events show', () => {
  it('given a charge of a payment, when it is asked for and answered, then each answer is a fact', () => {
    const of = { kind: 'charge', match: '7:9:1' };
    const requested = inWallet({ type: 'FundingRequested', data: { ...P, ...charge, beginBeforeUs: 9 } });
    expect(factsOf(requested, inWallet({ type: 'FundsAdded', data: { ...P, ...charge } }))).toEqual([
      { ...of, state: 'requested', cents: 500 },
      { ...of, state: 'booked', cents: 500 },
    ]);
    for (const type of ['DebitRefused', 'FundingDeclined'] as const) {
      const refused = inWallet({ type, data: { ...P, attempt: 1, chargeKey: '7:9:1' } });
      expect(factsOf(refused)).toEqual([{ ...of, state: 'refused', cents: null }]);
    }
  });

  it('given a repayment, when it is accepted, refused or never began, then the newest fact says so', () => {
    const requested = inWallet({ type: 'RepaymentRequested', data: { ...P, fundingId: null, ...repayment } });
    const returned = inWallet({ type: 'FundsReturned', data: { ...P, amountCents: 500, feeCents: 0 } });
    const withdrawn = inWallet({
      type: 'FundsWithdrawn',
      data: { ...P, chargeKey: '7:9:1', repaymentKey: '7:9:refund', amountCents: 500, sourceId: 's' },
    });
    const of = { kind: 'repayment', match: '7:9:refund' };
    expect(factsOf(requested, returned, withdrawn).at(-1)).toEqual({ ...of, state: 'booked', cents: 500 });
    expect(factsOf(requested, returned).at(-1)).toEqual({ ...of, state: 'refused', cents: null });
    const next = { ...P, fundingId: null, ...repayment, key: '7:9:refund:2' };
    expect(factsOf(requested, inWallet({ type: 'RepaymentRequested', data: next }))).toEqual([
      { ...of, state: 'requested', cents: null },
      { ...of, state: 'refused', cents: null },
      { ...of, match: '7:9:refund:2', state: 'requested', cents: null },
    ]);
    const late = inWallet({ type: 'FundsAdded', data: { ...P, ...charge, isLate: true } });
    expect(factsOf(requested, late).at(-1)).toEqual({ ...of, state: 'refused', cents: null });
  });

  it('given a withdrawal, when its payout is paid and returned, then both have its amount', () => {
    const requested = { userId: '9', amountCents: 500, sourceId: 's', booking: null, needsReview: false, atUs: 150 };
    const of = (event: (LedgerEvent & { kind: 'withdrawal' })['event']): LedgerEvent => {
      return { kind: 'withdrawal', id: 'w-1', revision: 0, event };
    };
    const asked = of({ type: 'WithdrawalRequested', data: requested });
    const sent = of({ type: 'PayoutRequested', data: { key: 'w-1', beginBeforeUs: 9, atUs: 150 } });
    const paid = of({ type: 'WithdrawalPaid', data: { atUs: 150 } });
    const back = { ...D, fundingId: 'w-1', amountCents: 500, wasPaid: true };
    expect(factsOf(asked, sent, paid, inWallet({ type: 'WithdrawalReversed', data: back }))).toEqual([
      { kind: 'payout', match: 'w-1', state: 'requested', cents: 500 },
      { kind: 'payout', match: 'w-1', state: 'booked', cents: 500 },
      { kind: 'payout_return', match: 'w-1', state: 'booked', cents: 500 },
    ]);
    const failed = of({ type: 'WithdrawalFailed', data: { reason: 'payout_failed', atUs: 150 } });
    expect(factsOf(asked, sent, failed).at(-1)).toMatchObject({ kind: 'payout', state: 'refused' });
    const notPaid = inWallet({ type: 'WithdrawalReversed', data: { ...back, wasPaid: false } });
    expect(factsOf(asked, sent, failed, notPaid)).toHaveLength(2);
  });

  it('given a deposit and reversals of its charge, when read, then reversals are matched by the id of the provider', () => {
    const data = { userId: '9', amountCents: 500, sourceId: 's', booking: null, beginBeforeUs: 9, atUs: 150 };
    const asked: LedgerEvent = { kind: 'deposit', id: 'd-1', revision: 0, event: { type: 'DepositRequested', data } };
    const reversal = { ...D, reversalId: 'rv_1', chargeKey: 'd-1', amountCents: 200 };
    expect(
      factsOf(
        asked,
        inWallet({ type: 'FundsReversed', data: reversal }),
        inWallet({ type: 'ReversalReturned', data: reversal }),
      ),
    ).toEqual([
      { kind: 'charge', match: 'd-1', state: 'requested', cents: 500 },
      { kind: 'reversal', match: 'rv_1', state: 'booked', cents: 200 },
      { kind: 'reversal_won', match: 'rv_1', state: 'booked', cents: 200 },
    ]);
  });

  it('given bank transfers and demo money, when read, then they are summed apart, within the period alone', () => {
    const own = new OwnBookings(PERIOD);
    const added = { ...D, attempt: 0, sourceId: 'bank', amountCents: 500 };
    const withdrawn = { ...D, fundingId: 'bank-1', sourceId: 'bank', amountCents: 70 };
    const requested = {
      userId: '9',
      amountCents: 70,
      sourceId: 'bank',
      booking: BOOKING,
      needsReview: false,
      atUs: 150,
    };
    const events: readonly LedgerEvent[] = [
      inWallet({ type: 'FundsAdded', data: { ...added, fundingId: 'bank-1' } }),
      inWallet({ type: 'FundsAdded', data: { ...added, fundingId: 'bank-2', atUs: 99 } }),
      inWallet({ type: 'FundsAdded', data: { ...added, fundingId: null, sourceId: 'demo', amountCents: 30 } }),
      { kind: 'withdrawal', id: 'bank-1', revision: 0, event: { type: 'WithdrawalRequested', data: requested } },
      inWallet({ type: 'FundsWithdrawn', data: withdrawn }),
      { kind: 'withdrawal', id: 'bank-1', revision: 1, event: { type: 'WithdrawalPaid', data: { atUs: 150 } } },
    ];
    expect(events.flatMap((event) => own.take(event))).toEqual([]);
    expect(own.outside).toEqual({ bankInCents: 500, bankOutCents: 70, demoInCents: 30, demoOutCents: 0 });
  });
});
