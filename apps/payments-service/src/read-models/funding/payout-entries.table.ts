import type { LedgerTable } from '../ledger/ledger-table.js';
import { Table } from '../table.js';
import type { PayoutLine } from './funding-fold.js';

/** The journal's rows of payouts, one for each withdrawal that was paid. */
export const PAYOUT_ENTRIES: LedgerTable<PayoutLine> = {
  table: new Table<PayoutLine>({
    name: 'payout_entries',
    key: ['withdrawal_id'],
    columns: {
      withdrawal_id: ['text', ({ withdrawalId }) => withdrawalId],
      debit_account: ['text', ({ entry }) => entry.debitAccount],
      credit_account: ['text', ({ entry }) => entry.creditAccount],
      amount_cents: ['bigint', ({ entry }) => entry.amountCents],
    },
  }),
  sourcesOf: ({ payoutLines }) => payoutLines,
  kind: 'payouts',
  isExplained: async ([id = ''], { fundingEventTypesOf }) =>
    (await fundingEventTypesOf({ kind: 'withdrawal', id })).includes('WithdrawalPaid'),
};
