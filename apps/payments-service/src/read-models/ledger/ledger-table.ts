import type { ExistingPayment, PaymentEvent } from '@settle/payments-domain';
import { openWorkOf, type OpenWork } from '../open-work/open-work.js';
import { paymentRowOf, type PaymentRow } from '../payments/payment-row.js';
import type { Row, Table } from '../table.js';
import { hasRow, type BatchFold, type FeeLine, type TouchedPayment, type WalletLine } from './batch-fold.js';

/** A payment that a batch changes, with what the read models show of it after the batch. */
export interface ProjectedPayment {
  readonly touched: TouchedPayment & { readonly payment: ExistingPayment };
  readonly row: PaymentRow;
  readonly work: OpenWork | null;
}

/** The changes of one batch of events. */
export interface LedgerBatch {
  readonly payments: readonly ProjectedPayment[];
  readonly walletLines: readonly WalletLine[];
  readonly feeLines: readonly FeeLine[];
}

/** Kinds of differences between the events and the tables. */
export type LedgerKind = 'wallets' | 'transit' | 'fees' | 'funding' | 'read models';

/** A difference between a table and the events. Names columns, not values, which may be private. */
export interface Difference {
  /** The row according to the events. */
  readonly expected: Row;
  readonly key: string;
  /** Differing columns; null if the row is missing. */
  readonly columns: readonly string[] | null;
}

/** The state that a verification has read from the events. */
export interface ReadLedger {
  /** Newest revision of a wallet; `NO_STREAM` if there is none. */
  revisionOf(walletId: string): number;
  eventsOf(paymentId: string): Promise<readonly PaymentEvent[]>;
  /** Undefined for a payment that has ended. */
  openPayment(paymentId: string): ProjectedPayment | undefined;
}

/** A table of the ledger's projection: what a batch writes to it, and what a verification expects of it. */
export interface LedgerTable<Source = unknown> {
  readonly table: Table<Source>;
  /** Statements of a batch that run before its rows are inserted. */
  statementsOf?(batch: LedgerBatch): readonly string[];
  /** The sources of rows that a batch inserts. */
  sourcesOf(batch: LedgerBatch): readonly Source[];
  /** The row of a payment, which is final when the payment has ended; null if it has none. Absent: no row ever changes. */
  rowOf?(payment: ProjectedPayment): Source | null;
  /** Kind of a row that no event explains. */
  readonly kind: LedgerKind;
  /** Kind of another difference. Absent: `kind`. */
  kindOf?(difference: Difference): LedgerKind;
  /** Whether an event explains the row with this key. */
  isExplained(key: readonly string[], ledger: ReadLedger): Promise<boolean> | boolean;
}

/** @param nowUs since when open work waits */
export function batchOf({ payments, walletLines, feeLines }: BatchFold, nowUs: number): LedgerBatch {
  const projected: ProjectedPayment[] = [];
  for (const touched of payments.values()) if (hasRow(touched)) projected.push(projectedPayment(touched, nowUs));
  return { payments: projected, walletLines, feeLines };
}

/** @param nowUs as for `batchOf` */
export function projectedPayment(touched: ProjectedPayment['touched'], nowUs: number): ProjectedPayment {
  const row = paymentRowOf(touched.paymentId, touched.payment);
  return { touched, row, work: openWorkOf(touched, nowUs) };
}

/** Whether the payment has rows from before the batch. */
export function isEarlier({ touched }: ProjectedPayment): boolean {
  return !touched.isNew;
}
