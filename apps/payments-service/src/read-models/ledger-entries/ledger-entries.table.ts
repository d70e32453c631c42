import type { FeeLine, WalletLine } from '../ledger/batch-fold.js';
import type { Difference, LedgerKind, LedgerTable } from '../ledger/ledger-table.js';
import { sourceTimeUs } from '@settle/payments-domain';
import { storableText } from '../storable-text.js';
import { Table, type Row } from '../table.js';

const storable = (text?: string | null): string | null => (typeof text === 'string' ? storableText(text) : null);

/** Returns the key of the repayment that an event announces or answers. */
function repaymentKeyOf(data: WalletLine['event']['data']): string | null {
  if ('key' in data) return data.key;
  return 'repaymentKey' in data ? (data.repaymentKey ?? null) : null;
}

/** The journal: one row for each event of a wallet. */
export const LEDGER_ENTRIES: LedgerTable<WalletLine> = {
  table: new Table<WalletLine>({
    name: 'ledger_entries',
    key: ['wallet_id', 'revision'],
    columns: {
      wallet_id: ['bigint', ({ walletId }) => walletId],
      revision: ['int', ({ revision }) => revision],
      payment_id: ['bigint', ({ event }) => event.data.paymentId],
      event_type: ['text', ({ event }) => event.type],
      debit_account: ['text', ({ entry }) => entry.debitAccount],
      credit_account: ['text', ({ entry }) => entry.creditAccount],
      amount_cents: ['bigint', ({ entry }) => entry.amountCents],
      balance_cents: ['bigint', ({ event }) => event.data.balanceCents],
      attempt: ['int', ({ event }) => ('attempt' in event.data ? event.data.attempt : null)],
      source_id: ['text', ({ event: { data } }) => storable('sourceId' in data ? data.sourceId : null)],
      app_id: ['text', ({ event: { data } }) => storable('appId' in data ? data.appId : null)],
      charge_key: ['text', ({ event: { data } }) => ('chargeKey' in data ? (data.chargeKey ?? null) : null)],
      begin_before_us: ['bigint', ({ event: { data } }) => ('beginBeforeUs' in data ? data.beginBeforeUs : null)],
      repayment_key: ['text', ({ event: { data } }) => repaymentKeyOf(data)],
      reversal_id: ['text', ({ event: { data } }) => ('reversalId' in data ? data.reversalId : null)],
      funding_id: ['text', ({ event: { data } }) => ('fundingId' in data ? (data.fundingId ?? null) : null)],
      refusal_reason: ['text', ({ event: { data } }) => ('reason' in data ? (data.reason ?? null) : null)],
      refusal_code: ['text', ({ event: { data } }) => ('code' in data ? (data.code ?? null) : null)],
      source_us: ['bigint', ({ event }) => sourceTimeUs(event)],
      notice_due_us: ['bigint', ({ event, isNotified }) => (isNotified ? event.data.atUs : null)],
    },
    // Releases before `app_id` have left it empty; the sender of notices empties `notice_due_us`.
    unreproducibleColumns: ['app_id', 'notice_due_us'],
  }),
  sourcesOf: ({ walletLines }) => walletLines,
  kind: 'wallets',
  kindOf,
  isExplained: async ([walletId = '', revision = ''], ledger) =>
    Number(revision) <= (await ledger.revisionOf(walletId)),
};

/** The journal's rows of fees, one for each settled payment with a fee. */
export const FEE_ENTRIES: LedgerTable<FeeLine> = {
  table: new Table<FeeLine>({
    name: 'fee_entries',
    key: ['payment_id'],
    columns: {
      payment_id: ['bigint', ({ paymentId }) => paymentId],
      debit_account: ['text', ({ entry }) => entry.debitAccount],
      credit_account: ['text', ({ entry }) => entry.creditAccount],
      amount_cents: ['bigint', ({ entry }) => entry.amountCents],
    },
  }),
  sourcesOf: ({ feeLines }) => feeLines,
  kind: 'fees',
  async isExplained([paymentId = ''], { eventsOf }) {
    const [created, ...others] = await eventsOf(paymentId);
    const isSettled = others.some(({ type }) => type === 'PaymentSettled');
    return isSettled && created?.type === 'PaymentCreated' && created.data.feeCents > 0;
  },
};

const MONEY_COLUMNS = ['debit_account', 'credit_account', 'amount_cents'];

/** Returns the kind of account of a journal line: funding source, transit or the wallet alone. */
function kindOf({ expected, columns }: Difference): LedgerKind {
  if (touches(expected, 'funding:')) return 'funding';
  const isOfMoney = columns === null || columns.some((column) => MONEY_COLUMNS.includes(column));
  return isOfMoney && touches(expected, 'transit:') ? 'transit' : 'wallets';
}

function touches({ debit_account, credit_account }: Row, prefix: string): boolean {
  return [debit_account, credit_account].some((account) => String(account).startsWith(prefix));
}
