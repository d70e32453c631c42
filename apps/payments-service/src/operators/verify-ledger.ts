import { LIMITS } from '@settle/config';
import type { ReadableLog, StoredEvent } from '@settle/event-store';
import { BatchFold, earlierPaymentIds, hasRow, type TouchedPayment } from '../read-models/ledger/batch-fold.js';
import { addSteps, readPaymentBefore } from '../read-models/ledger/earlier-payments.js';
import { LEDGER_PROJECTION } from '../read-models/ledger/ledger-projection.js';
import {
  batchOf,
  projectedFunding,
  projectedPayment,
  type LedgerKind,
  type LedgerTable,
  type ProjectedPayment,
  type ReadLedger,
} from '../read-models/ledger/ledger-table.js';
import {
  WHOLE_FUNDING,
  WHOLE_PAYMENT,
  fundingStream,
  paymentStream,
  readLedgerEvent,
  readPaymentEvent,
  type LedgerEvent,
} from '../storage/streams.js';
import { earlierFundingRefs, fundingKeyOf, type TouchedFunding } from '../read-models/funding/funding-fold.js';
import { fundingActOf } from '../read-models/funding/funding-unit.js';
import { Books, type Sums } from './books.js';
import type { Findings } from './findings.js';
import { CheckpointReplay, type CheckpointSource } from './replay.js';
import { RowComparison, describe } from './row-comparison.js';
import { verifySums } from './verify-sums.js';

const { verifyBatch } = LIMITS.operators;

export interface VerifiedLedger extends CheckpointSource {
  /** Subscribers also get the positions of other streams' events. */
  readonly store: ReadableLog;
  readonly findings: Findings;
}

export interface LedgerSums extends Sums {
  /** Log position up to which events were counted: that of the read models. */
  readonly position: number;
  readonly events: number;
  readonly payments: number;
}

/**
 * Recomputes the journal from the events and compares the result, row by row, with the read models; differences go to
 * `findings`. Money may move meanwhile: rows that never change are compared along the way, the others in one snapshot
 * at the end. Streams the log: keeps one batch of events, a small entry for each wallet, and the payments that have not
 * ended.
 * Error: the log ends, or delivers nothing, before the position of the read models; or their position decreases.
 */
export async function verifyLedger(verified: VerifiedLedger): Promise<LedgerSums> {
  const recount = new Recount(verified);
  const replay = new CheckpointReplay(verified, LEDGER_PROJECTION, (events) => recount.take(events));
  await replay.catchUp();
  for (const table of LINE_TABLES) await replay.atCheckpoint(() => recount.findUnexplained(table));
  await replay.atCheckpoint(() => recount.compareRows());
  await verifySums(verified);
  return { position: replay.position, ...recount.end() };
}

const { tables: TABLES } = LEDGER_PROJECTION;
/** Tables of which no row ever changes. */
const LINE_TABLES = TABLES.filter(({ rowOf, fundingRowOf }) => rowOf === undefined && fundingRowOf === undefined);

class Recount {
  readonly #open = new Map<string, TouchedPayment>();
  /** Every funding stream: a payout may return long after it was paid. */
  readonly #funding = new Map<string, TouchedFunding>();
  /** Compares the batch's payments that had ended before: an end is final, and so is its row. */
  readonly #compared = new Set<string>();
  readonly #books = new Books();
  readonly #comparisons = new Map<LedgerTable, RowComparison>();
  #events = 0;
  #begun = 0;

  constructor(private readonly parts: Pick<VerifiedLedger, 'store' | 'client' | 'findings'>) {}

  async take(events: readonly StoredEvent[]): Promise<void> {
    this.#events += events.length;
    const facts = events.map(readLedgerEvent);
    const known = await this.#before(facts, events[0]?.position ?? 0);
    const fold = new BatchFold(known, this.#fundingBefore(facts));
    for (const fact of facts) fold.add(fact);
    const batch = batchOf(fold, 0);
    for (const line of batch.walletLines) {
      const offence = this.#books.addWalletLine(line);
      if (offence !== null) this.#note('wallets', offence);
    }
    for (const { entry } of [...batch.feeLines, ...batch.payoutLines]) this.#books.add(entry);
    for (const touched of fold.funding.touched()) {
      this.#funding.set(fundingKeyOf(touched.funding), { ...touched, isNew: false });
    }
    for (const table of LINE_TABLES) await this.#compare(table, table.sourcesOf(batch));
    const ended = new Set([...fold.payments.values()].filter((touched) => this.#hasEnded(touched)));
    await this.#comparePayments(batch.payments.filter(({ touched }) => ended.has(touched)));
  }

  /** Looks for rows that no event explains. */
  async findUnexplained(table: LedgerTable): Promise<void> {
    const ledger: ReadLedger = {
      revisionOf: (walletId) => this.#books.revisionOf(walletId),
      eventsOf: (paymentId) => this.#eventsOf(paymentId),
      openPayment: (paymentId) => {
        const touched = this.#open.get(paymentId);
        return touched !== undefined && hasRow(touched) ? projectedPayment(touched, 0) : undefined;
      },
      fundingEventTypesOf: async ({ kind, id }) =>
        (await this.parts.store.readStream(fundingStream(kind, id), WHOLE_FUNDING)).map(({ type }) => type),
    };
    const key = await this.#comparisonOf(table).findOther((row) => table.isExplained(row, ledger));
    if (key !== null) this.#note(table.kind, `${table.table.name} ${key}: not from an event`);
  }

  /** Compares funding streams and payments that have not ended, then looks for rows without events. */
  async compareRows(): Promise<void> {
    await this.#compareFunding();
    const left = [...this.#open.values()];
    for (const { paymentId } of left.filter((touched) => !hasRow(touched))) {
      this.#note('transit', `payment ${paymentId}: has events without a beginning`);
    }
    const payments = left.filter(hasRow);
    for (let first = 0; first < payments.length; first += verifyBatch) {
      const batch = payments.slice(first, first + verifyBatch);
      await this.#comparePayments(batch.map((touched) => projectedPayment(touched, 0)));
    }
    for (const table of TABLES) if (!LINE_TABLES.includes(table)) await this.findUnexplained(table);
  }

  async #compareFunding(): Promise<void> {
    const all = [...this.#funding.values()];
    for (const { funding } of all) {
      const isFinished = funding.kind === 'withdrawal' && fundingActOf(funding) === null;
      if (isFinished && this.#books.payoutOf(funding.id) !== 0) {
        this.#note('payouts', `withdrawal ${funding.id}: has ended, and its money is neither paid nor back`);
      }
    }
    for (let first = 0; first < all.length; first += verifyBatch) {
      const batch = projectedFunding(all.slice(first, first + verifyBatch), 0);
      for (const table of TABLES) {
        const sources = batch.flatMap((funding) => table.fundingRowOf?.(funding) ?? []);
        await this.#compare(table, sources);
      }
    }
  }

  /** Copies, so that a batch that fails changes nothing. */
  #fundingBefore(facts: readonly LedgerEvent[]): readonly TouchedFunding[] {
    return earlierFundingRefs(facts).flatMap((ref) => {
      const touched = this.#funding.get(fundingKeyOf(ref));
      return touched === undefined ? [] : [{ ...touched }];
    });
  }

  end(): Omit<LedgerSums, 'position'> {
    const sums = this.#books.sums();
    const heldCents = sums.walletCents + sums.transitCents + sums.payoutCents + sums.feeCents;
    if (heldCents !== sums.fundingCents) {
      this.#note('funding', `${sums.fundingCents} cents came in and ${heldCents} are accounted for`);
    }
    return { events: this.#events, payments: this.#begun, ...sums };
  }

  /** Returns the payments that a batch from this log position on changes and does not create. */
  async #before(facts: readonly LedgerEvent[], position: number): Promise<TouchedPayment[]> {
    const [open, others]: [TouchedPayment[], string[]] = [[], []];
    for (const paymentId of earlierPaymentIds(facts)) {
      const touched = this.#open.get(paymentId);
      if (touched === undefined) others.push(paymentId);
      else open.push(touched);
    }
    const ended = await this.#readEnded(others, position);
    for (const touched of ended) if (hasRow(touched)) this.#compared.add(touched.paymentId);
    return [...open, ...ended];
  }

  /**
   * Reads payments that ended before a position and that a batch changes once more: the loser of a race may have debited a
   * wallet by then, and returns the money. Payments without events before it are returned without events.
   */
  async #readEnded(paymentIds: readonly string[], position: number): Promise<TouchedPayment[]> {
    const { store, client } = this.parts;
    const ended = new Map<string, TouchedPayment>();
    for (const paymentId of paymentIds) {
      // It has ended, so the refund that its end names is written.
      ended.set(paymentId, { ...(await readPaymentBefore(store, paymentId, position)), isRefundWritten: true });
    }
    const isCounted = (walletId: string, revision: number) => revision <= this.#books.revisionOf(walletId);
    if (ended.size > 0) await addSteps(client, ended, isCounted);
    return [...ended.values()];
  }

  /** Keeps payments that can still change. A refund has two events and no open work. */
  #hasEnded(touched: TouchedPayment): boolean {
    const { paymentId, payment } = touched;
    if (touched.isNew && !this.#open.has(paymentId)) this.#begun += 1;
    if (!hasRow(touched) || payment.status === 'pending' || projectedPayment(touched, 0).work !== null) {
      this.#open.set(paymentId, touched);
      return false;
    }
    this.#open.delete(paymentId);
    if (this.#books.transitOf(paymentId) !== 0) {
      this.#note('transit', `payment ${paymentId}: has ended, and its money is still in transit`);
    }
    return true;
  }

  async #comparePayments(payments: readonly ProjectedPayment[]): Promise<void> {
    const left = payments.filter(({ row }) => !this.#compared.delete(row.id));
    for (const table of TABLES)
      await this.#compare(
        table,
        left.flatMap((payment) => table.rowOf?.(payment) ?? []),
      );
  }

  async #compare(table: LedgerTable, sources: readonly unknown[]): Promise<void> {
    for (const difference of await this.#comparisonOf(table).compare(sources)) {
      this.#note(table.kindOf?.(difference) ?? table.kind, describe(table.table, difference));
    }
  }

  #comparisonOf(table: LedgerTable): RowComparison {
    const comparison = this.#comparisons.get(table) ?? new RowComparison(this.parts.client, table.table);
    this.#comparisons.set(table, comparison);
    return comparison;
  }

  /** Reads a payment from the store, because it is no longer in memory. Rarely needed. */
  async #eventsOf(paymentId: string) {
    return (await this.parts.store.readStream(paymentStream(paymentId), WHOLE_PAYMENT)).map(readPaymentEvent);
  }

  #note(kind: LedgerKind, difference: string): void {
    this.parts.findings.add(kind, difference);
  }
}
