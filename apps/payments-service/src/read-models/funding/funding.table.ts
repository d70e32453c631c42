import { escapeLiteral } from 'pg';
import type { LedgerTable } from '../ledger/ledger-table.js';
import { storableText } from '../storable-text.js';
import { Table } from '../table.js';
import type { FundingRow } from './funding-row.js';
import type { FundingRef } from './funding-unit.js';

/** One row for each deposit, withdrawal, reversal and contradiction: its state and its next act. */
export const FUNDING: LedgerTable<FundingRow> = {
  table: new Table<FundingRow>({
    name: 'funding',
    key: ['kind', 'id'],
    columns: {
      kind: ['text', ({ kind }) => kind],
      id: ['text', ({ id }) => id],
      user_id: ['bigint', ({ userId }) => userId],
      payment_id: ['bigint', ({ paymentId }) => paymentId],
      amount_cents: ['bigint', ({ amountCents }) => amountCents],
      source_id: ['text', ({ sourceId }) => (sourceId === null ? null : storableText(sourceId))],
      status: ['text', ({ status }) => status],
      reason: ['text', ({ reason }) => reason],
      created_us: ['bigint', ({ createdUs }) => createdUs],
      act: ['text', ({ act }) => act],
      due_us: ['bigint', ({ dueUs }) => dueUs],
    },
    // Depends on when the stream was projected, and on a worker.
    unreproducibleColumns: ['due_us'],
  }),
  statementsOf({ funding }) {
    const keys = funding
      .filter(({ touched }) => !touched.isNew)
      .map(({ row }) => `(${escapeLiteral(row.kind)}, ${escapeLiteral(row.id)})`);
    return keys.length === 0 ? [] : [`delete from funding where (kind, id) in (${keys.join()})`];
  },
  sourcesOf: ({ funding }) => funding.map(({ row }) => row),
  fundingRowOf: ({ row }) => row,
  kind: 'read models',
  isExplained: async ([kind, id = ''], { fundingEventTypesOf }) => {
    const types = await fundingEventTypesOf({ kind: kind as FundingRef['kind'], id });
    return types.length > 0 && types[0] !== 'DepositAccepted';
  },
};
