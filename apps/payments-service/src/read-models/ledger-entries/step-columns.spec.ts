import { NO_STEPS, evolveSteps, walletEntry, type WalletEvent } from '@settle/payments-domain';
import { LEDGER_ENTRIES } from './ledger-entries.table.js';
import { stepFactOf, type StepColumns } from '../../storage/step-columns.js';

const of = { paymentId: '11', balanceCents: 0, atUs: 1 };
const source = { amountCents: 5, sourceId: 'card' };
const charge = { chargeKey: '11:7:1' };
const repayment = { ...charge, repaymentKey: '11:7:refund' };
const reversal = { ...of, ...charge, reversalId: 'r1', amountCents: 5 };

/** The life of a charge whose payment ended, and which was then repaid and reversed. */
const LIFE: readonly WalletEvent[] = [
  { type: 'FundingRequested', data: { ...of, ...source, ...charge, attempt: 1, beginBeforeUs: 1_795_000_000_000_000 } },
  { type: 'FundsAdded', data: { ...of, ...source, ...charge, attempt: 1, providerId: 'ch_1' } },
  { type: 'FundsDebited', data: { ...of, ...charge, amountCents: 5, feeCents: 0 } },
  { type: 'RepaymentRequested', data: { ...of, ...charge, key: '11:7:refund', beginBeforeUs: 1_795_000_000_000_001 } },
  { type: 'FundsReturned', data: { ...of, amountCents: 5, feeCents: 0 } },
  { type: 'FundsWithdrawn', data: { ...of, ...source, ...repayment } },
  { type: 'WithdrawalReversed', data: { ...of, ...repayment, amountCents: 5, wasPaid: true } },
  { type: 'FundsReversed', data: reversal },
  { type: 'ReversalReturned', data: reversal },
];

function journalRowOf(event: WalletEvent, revision: number): StepColumns {
  const line = { walletId: '7', revision, event, entry: walletEntry('7', event), isNotified: false };
  const { begin_before_us: beginBeforeUs, ...row } = LEDGER_ENTRIES.table.expectedRow(line);
  return { ...row, begin_before_us: beginBeforeUs === null ? null : String(beginBeforeUs) } as unknown as StepColumns;
}

/** A creation whose charge was not requested, because the limits of its source did not admit it. */
const REFUSED: WalletEvent = {
  type: 'DebitRefused',
  data: { ...of, attempt: 1, reason: 'funding_declined', code: 'limit' },
};

describe('the step columns of the journal', () => {
  it('given the events of a charge, when its steps are rebuilt from the journal, then each state is that of the events', () => {
    let [fromEvents, fromJournal] = [NO_STEPS, NO_STEPS];
    for (const [revision, event] of [...LIFE, REFUSED].entries()) {
      fromEvents = evolveSteps(fromEvents, event);
      fromJournal = evolveSteps(fromJournal, stepFactOf(journalRowOf(event, revision)));
      expect(fromJournal).toEqual(fromEvents);
    }
    expect(fromJournal.charges.get('11:7:1')?.repayments).toHaveLength(1);
  });

  it('given an event from before there was a provider, when its steps are rebuilt, then it has no key', () => {
    const event: WalletEvent = { type: 'FundingRequested', data: { ...of, ...source, attempt: 1 } };
    expect(stepFactOf(journalRowOf(event, 0))).toEqual({
      type: 'FundingRequested',
      data: { attempt: 1, sourceId: 'card' },
    });
  });
});
