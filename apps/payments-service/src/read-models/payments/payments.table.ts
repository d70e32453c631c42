import { storableText } from '../storable-text.js';
import { isEarlier, type LedgerTable, type ProjectedPayment } from '../ledger/ledger-table.js';
import { Table } from '../table.js';
import { addressKeyOf } from './payment-row.js';

const table = new Table<ProjectedPayment>({
  name: 'payments',
  key: ['id'],
  columns: {
    id: ['bigint', ({ row }) => row.id],
    status: ['text', ({ row }) => row.status],
    mode: ['text', ({ row }) => row.mode],
    action: ['text', ({ row }) => row.action],
    amount_cents: ['bigint', ({ row }) => row.amountCents],
    fee_cents: ['bigint', ({ row }) => row.feeCents],
    audience: ['text', ({ row }) => row.audience],
    medium: ['text', ({ row }) => row.medium],
    actor_id: ['bigint', ({ row }) => row.actorId],
    target_type: ['text', ({ row }) => row.targetType],
    target_user_id: ['bigint', ({ row }) => row.targetUserId],
    target_address: ['text', ({ row }) => row.targetAddress],
    target_key: ['text', ({ row }) => addressKeyOf(row)],
    created_us: ['bigint', ({ row }) => row.createdAtUs],
    completed_us: ['bigint', ({ row }) => row.completedAtUs],
    refund_id: ['bigint', ({ row }) => row.refundId],
    refund_of: ['bigint', ({ row }) => row.refundOf],
    revision: ['int', ({ touched }) => touched.revision],
    note: ['text', ({ row }) => row.note],
    app_id: ['text', ({ touched }) => storableText(touched.payment.facts.appId)],
  },
  // Releases before the column have left it empty.
  unreproducibleColumns: ['app_id'],
});

/** Columns that change after the payment's creation. */
const CHANGING = ['status', 'target_user_id', 'completed_us', 'refund_id', 'revision'];

/** The payments as their users see them, beside names. */
export const PAYMENTS: LedgerTable<ProjectedPayment> = {
  table,
  changesOf({ payments }) {
    const changed = payments.filter((payment) => isEarlier(payment) && payment.touched.isChanged);
    const sources = payments.filter((payment) => !isEarlier(payment));
    return { statements: changed.length === 0 ? [] : [updateStatement(changed)], sources };
  },
  rowOf: (payment) => payment,
  kind: 'read models',
  isExplained: async ([id = ''], { eventsOf }) => (await eventsOf(id)).length > 0,
};

function updateStatement(changed: readonly ProjectedPayment[]): string {
  return `update payments p set ${CHANGING.map((column) => `${column} = v.${column}`).join(', ')}
    from ${table.values(changed, ['id', ...CHANGING])} where p.id = v.id and p.revision < v.revision`;
}
