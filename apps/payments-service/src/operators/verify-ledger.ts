import { LIMITS } from '@settle/config';
import { START, type ReadableLog, type StoredEvent } from '@settle/event-store';
import { BatchFold, earlierPaymentIds, hasRow, type TouchedPayment } from '../read-models/ledger/batch-fold.js';
import { addSteps, readPaymentBefore } from '../read-models/ledger/earlier-payments.js';
import { LEDGER_PROJECTION } from '../read-models/ledger/ledger-projection.js';
import {
  batchOf,
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
import { FUNDING } from '../read-models/funding/funding.table.js';
import { fundingActOf } from '../read-models/funding/funding-unit.js';
import { Books, type Sums } from './books.js';
import type { Findings } from './findings.js';
import { FundingStreamStates, countFundingParts, verifyOtherFunding } from './funding-stream-states.js';
import { WalletLineCache } from './wallet-line-cache.js';
import { CheckpointReplay, type CheckpointSource } from './replay.js';
import { RowComparison, describe } from './row-comparison.js';
import { verifySums } from './verify-sums.js';

const { verifyBatch, walletsHeld, recordsHeld } = LIMITS.operators;

export interface VerifiedLedger extends CheckpointSource {
  /** Subscribers also get the positions of other streams' events. */
  readonly store: ReadableLog;
  readonly findings: Findings;
  /** Wallets and funding streams to keep in memory; absent: `walletsHeld` and `recordsHeld`. */
  readonly most?: HeldCounts;
}

interface HeldCounts {
  readonly wallets: number;
  readonly funding: number;
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
 * at the end. Streams the log: keeps one batch of events, the payments that have not ended, and a bounded number of
 * wallets and funding streams; if there are more of these, it reads the log several times.
 * Error: the log ends, or delivers nothing, before the position of the read models; or their position decreases.
 */
export async function verifyLedger(verified: VerifiedLedger): Promise<LedgerSums> {
  const { client, most = { wallets: walletsHeld, funding: recordsHeld } } = verified;
  const parts = await countFundingParts(client, most.funding);
  const recount = new Recount({ ...verified, most }, new FundingStreamStates({ part: 0, parts }, verified));
  const replay = new CheckpointReplay(verified, LEDGER_PROJECTION, (events, reached) => recount.take(events, reached));
  await replay.catchUp();
  for (const table of LINE_TABLES) await replay.atCheckpoint(() => recount.findUnexplained(table));
  await replay.atCheckpoint(() => recount.compareRows());
  await verifyOtherFunding(verified, parts, (funding) => recount.compareFunding(funding));
  await verifySums(verified);
  return { position: replay.position, ...recount.end() };
}

const { tables: TABLES } = LEDGER_PROJECTION;
/** Tables of which no row ever changes. */
const LINE_TABLES = TABLES.filter(({ rowOf, fundingRowOf }) => rowOf === undefined && fundingRowOf === undefined);

class Recount {
  readonly #open = new Map<string, TouchedPayment>();
  /** Compares the batch's payments that had ended before: an end is final, and so is its row. */
  readonly #compared = new Set<string>();
  readonly #books = new Books();
  readonly #wallets: WalletLineCache;
  readonly #comparisons = new Map<LedgerTable, RowComparison>();
  /** Log position up to which events were counted. */
  #reached = START;
  #events = 0;
  #begun = 0;

  /** @param funding streams of the first part */
  constructor(
    private readonly parts: Required<Pick<VerifiedLedger, 'store' | 'client' | 'findings' | 'most'>>,
    private readonly funding: FundingStreamStates,
  ) {
    this.#wallets = new WalletLineCache(parts.client, parts.store, parts.most.wallets);
  }

  async take(events: readonly StoredEvent[], reached: number): Promise<void> {
    this.#events += events.length;
    const facts = events.map(readLedgerEvent);
    const position = events[0]?.position ?? 0;
    const fold = new BatchFold(await this.#before(facts, position), await this.funding.before(facts, position));
    for (const fact of facts) fold.add(fact);
    const batch = batchOf(fold, 0);
    for (const offence of await this.#wallets.addLines(batch.walletLines, this.#books)) this.#note('wallets', offence);
    this.#reached = reached;
    for (const { entry } of [...batch.feeLines, ...batch.payoutLines]) this.#books.add(entry);
    this.funding.record(fold.funding.touched());
    for (const table of LINE_TABLES) await this.#compare(table, table.sourcesOf(batch));
    const ended = new Set([...fold.payments.values()].filter((touched) => this.#hasEnded(touched)));
    await this.#comparePayments(batch.payments.filter(({ touched }) => ended.has(touched)));
  }

  /** Looks for rows that no event explains. */
  async findUnexplained(table: LedgerTable): Promise<void> {
    const ledger: ReadLedger = {
      revisionOf: (walletId) => this.#wallets.revisionAt(walletId, this.#reached),
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

  /** Compares funding streams of the first part and payments that have not ended, then looks for payments without events. */
  async compareRows(): Promise<void> {
    await this.#comparePayouts();
    await this.compareFunding(this.funding);
    const left = [...this.#open.values()];
    for (const { paymentId } of left.filter((touched) => !hasRow(touched))) {
      this.#note('transit', `payment ${paymentId}: has events without a beginning`);
    }
    const payments = left.filter(hasRow);
    for (let first = 0; first < payments.length; first += verifyBatch) {
      const batch = payments.slice(first, first + verifyBatch);
      await this.#comparePayments(batch.map((touched) => projectedPayment(touched, 0)));
    }
    for (const table of TABLES) if (table.rowOf !== undefined) await this.findUnexplained(table);
  }

  /** Compares funding streams, then, after the last part, looks for rows without events. */
  async compareFunding(funding: FundingStreamStates): Promise<void> {
    for (const rows of funding.rows()) await this.#compare(FUNDING, rows);
    if (funding.isLast) await this.findUnexplained(FUNDING);
  }

  async #comparePayouts(): Promise<void> {
    for (const id of this.#books.openPayouts()) {
      const { funding } = await this.funding.find({ kind: 'withdrawal', id }, this.#reached);
      if (fundingActOf(funding) !== null) continue;
      this.#note('payouts', `withdrawal ${id}: has ended, and its money is neither paid nor back`);
    }
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
    const isCounted = async (walletId: string, revision: number) =>
      revision <= (await this.#wallets.revisionAt(walletId, this.#reached));
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
