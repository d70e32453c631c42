import { isEarlier, type LedgerTable } from '../ledger/ledger-table.js';
import { Table } from '../table.js';
import type { OpenWork } from './open-work.js';

/** The work of unfinished payments. */
export const OPEN_WORK: LedgerTable<OpenWork> = {
  table: new Table<OpenWork>({
    name: 'open_work',
    key: ['payment_id', 'act'],
    columns: {
      payment_id: ['bigint', ({ paymentId }) => paymentId],
      act: ['text', ({ act }) => act],
      owner_id: ['bigint', ({ ownerId }) => ownerId],
      since_us: ['bigint', ({ sinceUs }) => sinceUs],
    },
    // Depends on when the payment was projected.
    unreproducibleColumns: ['since_us'],
  }),
  statementsOf({ payments }) {
    const ids = payments.filter(isEarlier).map(({ row }) => BigInt(row.id));
    return ids.length === 0 ? [] : [`delete from open_work where payment_id in (${ids.join()})`];
  },
  sourcesOf: ({ payments }) => payments.flatMap(({ work }) => work ?? []),
  rowOf: ({ work }) => work,
  kind: 'read models',
  isExplained: ([id = '', act], { openPayment }) => openPayment(id)?.work?.act === act,
};
