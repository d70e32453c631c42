import type { ExistingPayment, PaymentEvent } from '@settle/payments-domain';
import { openWorkOf, type OpenWork } from '../open-work/open-work.js';
import { paymentRowOf, type PaymentRow } from '../payments/payment-row.js';
import type { FundingRef } from '../funding/funding-unit.js';
import { fundingRowOf, type FundingRow } from '../funding/funding-row.js';
import type { PayoutLine, TouchedFunding } from '../funding/funding-fold.js';
import type { Row, Table } from '../table.js';
import { hasRow, type BatchFold, type FeeLine, type TouchedPayment, type WalletLine } from './batch-fold.js';

/** A payment that a batch changes, with what the read models show of it after the batch. */
export interface ProjectedPayment {
  readonly touched: TouchedPayment & { readonly payment: ExistingPayment };
  readonly row: PaymentRow;
  readonly work: OpenWork | null;
}

/** A funding stream that a batch changes, with its row after the batch. */
export interface ProjectedFunding {
  readonly touched: TouchedFunding;
  readonly row: FundingRow;
}

/** The changes of one batch of events. */
export interface LedgerBatch {
  readonly payments: readonly ProjectedPayment[];
  readonly walletLines: readonly WalletLine[];
  readonly feeLines: readonly FeeLine[];
  readonly funding: readonly ProjectedFunding[];
  readonly payoutLines: readonly PayoutLine[];
}

/** Kinds of differences between the events and the tables. */
export type LedgerKind = 'wallets' | 'transit' | 'payouts' | 'fees' | 'funding' | 'read models';

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
  revisionOf(walletId: string): Promise<number>;
  eventsOf(paymentId: string): Promise<readonly PaymentEvent[]>;
  /** Undefined for a payment that has ended. */
  openPayment(paymentId: string): ProjectedPayment | undefined;
  /** Types of the events of a funding stream, in order. */
  fundingEventTypesOf(ref: FundingRef): Promise<readonly string[]>;
}

/** A table of the ledger's projection: what a batch writes to it, and what a verification expects of it. */
export interface LedgerTable<Source = unknown> {
  readonly table: Table<Source>;
  /** Statements of a batch that run before its rows are inserted. */
  statementsOf?(batch: LedgerBatch): readonly string[];
  /** The sources of rows that a batch inserts. */
  sourcesOf(batch: LedgerBatch): readonly Source[];
  /** The row of a payment, which is final when the payment has ended; null if it has none. Absent, as `fundingRowOf`: no row ever changes. */
  rowOf?(payment: ProjectedPayment): Source | null;
  /** As `rowOf`, of a funding stream. */
  fundingRowOf?(funding: ProjectedFunding): Source | null;
  /** Kind of a row that no event explains. */
  readonly kind: LedgerKind;
  /** Kind of another difference. Absent: `kind`. */
  kindOf?(difference: Difference): LedgerKind;
  /** Whether an event explains the row with this key. */
  isExplained(key: readonly string[], ledger: ReadLedger): Promise<boolean> | boolean;
}

/** @param nowUs since when open work waits */
export function batchOf({ payments, walletLines, feeLines, funding }: BatchFold, nowUs: number): LedgerBatch {
  const projected: ProjectedPayment[] = [];
  for (const touched of payments.values()) if (hasRow(touched)) projected.push(projectedPayment(touched, nowUs));
  const { payoutLines } = funding;
  return {
    payments: projected,
    walletLines,
    feeLines,
    funding: projectedFunding(funding.touched(), nowUs),
    payoutLines,
  };
}

/** @param nowUs as for `batchOf` */
export function projectedFunding(touched: Iterable<TouchedFunding>, nowUs: number): readonly ProjectedFunding[] {
  return [...touched].flatMap((each) => {
    const row = fundingRowOf(each.funding, nowUs);
    return row === null ? [] : [{ touched: each, row }];
  });
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
