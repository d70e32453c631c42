import { LIMITS } from '@settle/config';
import { START, type ReadableLog, type StoredEvent } from '@settle/event-store';
import type { ClientBase } from 'pg';
import { PROJECTION, readCheckpoint } from '../projection/checkpoints.js';
import { BatchFold, earlierPaymentIds, hasRow, type TouchedPayment } from '../projection/batch-fold.js';
import { READ_MODELS, type ReadModelTable } from '../projection/read-models.js';
import { LEDGER_PREFIXES, WHOLE_PAYMENT, paymentStream, readPaymentEvent } from '../storage/streams.js';
import { Books, type Sums } from './books.js';
import { endedPayments } from './ended-payments.js';
import { feeRow, journalRow, openWork, paymentRow, workRow } from './expected-rows.js';
import { Findings, type Kind } from './findings.js';
import type { InSnapshot } from './snapshots.js';
import { replay } from './replay.js';
import { RowComparison, type Difference, type Row } from './row-comparison.js';

const { verifyBatch, nearMs, catchUps } = LIMITS.operators;

export interface VerifiedLedger {
  /** Subscribers also get the positions of other streams' events. */
  readonly store: ReadableLog;
  /** Outside `atOneMoment` each statement has its own snapshot. */
  readonly client: ClientBase;
  /** Runs work in one snapshot of `client`. Meanwhile no dead row of any table can be removed. */
  readonly atOneMoment: InSnapshot;
  readonly findings: Findings;
  /** Called with progress, often. */
  readonly say: (line: string) => void;
}

export interface LedgerSums extends Sums {
  /** Log position up to which events were counted: that of the read models. */
  readonly position: number;
  readonly events: number;
  readonly payments: number;
  readonly wallets: number;
}

/**
 * Recomputes the journal from the events and compares the result, row by row, with the read models; differences go to
 * `findings`. Money may move meanwhile: rows that never change are compared along the way, the others in one snapshot
 * at the end. Streams the log: keeps one batch of events, a small entry for each wallet, and the payments that have not
 * ended.
 * Error: the log ends, or delivers nothing, before the position of the read models; or their position decreases.
 */
export async function verifyLedger(verified: VerifiedLedger): Promise<LedgerSums> {
  const { client, atOneMoment } = verified;
  const recount = new Recount(verified);
  for (let turn = 0, tookMs = Infinity; turn < catchUps && tookMs > nearMs; turn += 1) {
    const sinceMs = performance.now();
    await recount.goTo(await readCheckpoint(client, PROJECTION));
    tookMs = performance.now() - sinceMs;
  }
  const atCheckpoint = (work: () => Promise<void>) =>
    atOneMoment(async () => {
      await recount.goTo(await readCheckpoint(client, PROJECTION));
      await work();
    });
  await atCheckpoint(() => recount.lookForOtherLines());
  await atCheckpoint(() => recount.lookForOtherFees());
  await atCheckpoint(() => recount.comparePayments());
  return recount.end();
}

export const percent = (part: number, whole: number): number => Math.floor((100 * part) / Math.max(whole, 1));

class Recount {
  readonly #open = new Map<string, TouchedPayment>();
  /** Compares the batch's payments that had ended before: an end is final, and so is its row. */
  readonly #compared = new Set<string>();
  readonly #books = new Books();
  readonly #lines: RowComparison;
  readonly #fees: RowComparison;
  readonly #payments: RowComparison;
  readonly #work: RowComparison;
  #position = START;
  #events = 0;
  #begun = 0;

  constructor(private readonly parts: Omit<VerifiedLedger, 'atOneMoment'>) {
    const comparison = (table: ReadModelTable) => new RowComparison(parts.client, table);
    const [lines, fees] = READ_MODELS['ledger-entries'];
    this.#lines = comparison(lines);
    this.#fees = comparison(fees);
    this.#payments = comparison(READ_MODELS.payments[0]);
    this.#work = comparison(READ_MODELS['open-work'][0]);
  }

  /** Counts all events up to a position. */
  async goTo(upTo: number): Promise<void> {
    if (upTo < this.#position) throw new Error('The read models went back while they were compared: verify again');
    const { store, say } = this.parts;
    const onPosition = (position: number) => say(`position ${position} of ${upTo}, ${percent(position, upTo)} %`);
    const wanted = { streamPrefixes: LEDGER_PREFIXES, after: this.#position, upTo, onPosition };
    await replay(store, wanted, (events) => this.#take(events));
    this.#position = upTo;
  }

  async #take(events: readonly StoredEvent[]): Promise<void> {
    this.#events += events.length;
    const fold = new BatchFold(await this.#before(events));
    for (const event of events) fold.add(event);
    for (const line of fold.walletLines) {
      const offence = this.#books.addWalletLine(line);
      if (offence !== null) this.#note('wallets', offence);
    }
    for (const { entry } of fold.feeLines) this.#books.addFee(entry);
    for (const difference of await this.#lines.compare(fold.walletLines.map(journalRow))) {
      this.#noteRow(kindOfLine(difference), 'ledger_entries', difference);
    }
    for (const difference of await this.#fees.compare(fold.feeLines.map(feeRow))) {
      this.#noteRow('fees', 'fee_entries', difference);
    }
    await this.#comparePayments([...fold.payments.values()].filter((touched) => this.#hasEnded(touched)));
  }

  async lookForOtherLines(): Promise<void> {
    const isLine = async ([walletId = '', revision = '']: readonly string[]) =>
      Number(revision) <= this.#books.revisionOf(walletId);
    this.#noteOther('wallets', 'ledger_entries', await this.#lines.other(isLine));
  }

  async lookForOtherFees(): Promise<void> {
    const hasFee = async ([id = '']: readonly string[]) => {
      const [begun, ...others] = await this.#eventsOf(id);
      const isSettled = others.some(({ type }) => type === 'PaymentSettled');
      return isSettled && begun?.type === 'PaymentCreated' && begun.data.feeCents > 0;
    };
    this.#noteOther('fees', 'fee_entries', await this.#fees.other(hasFee));
  }

  /** Compares payments that have not ended, then looks for rows without events. */
  async comparePayments(): Promise<void> {
    const left = [...this.#open.values()];
    for (const { paymentId } of left.filter((touched) => !hasRow(touched))) {
      this.#note('transit', `payment ${paymentId}: has events without a beginning`);
    }
    for (let first = 0; first < left.length; first += verifyBatch) {
      const batch = left.slice(first, first + verifyBatch);
      await this.#comparePayments(batch);
      const work = batch.flatMap((touched) => openWork(touched) ?? []);
      for (const difference of await this.#work.compare(work.map(workRow))) {
        this.#noteRow('read models', 'open_work', difference);
      }
    }
    const isPayment = async ([id = '']: readonly string[]) => (await this.#eventsOf(id)).length > 0;
    const isOpen = async ([id = '', act]: readonly string[]) => {
      const touched = this.#open.get(id);
      return touched !== undefined && openWork(touched)?.act === act;
    };
    this.#noteOther('read models', 'payments', await this.#payments.other(isPayment));
    this.#noteOther('read models', 'open_work', await this.#work.other(isOpen));
  }

  end(): LedgerSums {
    const sums = this.#books.sums();
    const heldCents = sums.walletCents + sums.transitCents + sums.feeCents;
    if (heldCents !== sums.fundingCents) {
      this.#note('funding', `${sums.fundingCents} cents came in and ${heldCents} are accounted for`);
    }
    const { wallets } = this.#books;
    return { position: this.#position, events: this.#events, payments: this.#begun, wallets, ...sums };
  }

  /** Returns the payments that a batch changes and does not create. */
  async #before(events: readonly StoredEvent[]): Promise<TouchedPayment[]> {
    const [open, others]: [TouchedPayment[], string[]] = [[], []];
    for (const paymentId of earlierPaymentIds(events)) {
      const touched = this.#open.get(paymentId);
      if (touched === undefined) others.push(paymentId);
      else open.push(touched);
    }
    const { store, client } = this.parts;
    const revisionOf = (walletId: string) => this.#books.revisionOf(walletId);
    const ended = await endedPayments({ store, client, revisionOf }, others, events[0]?.position ?? 0);
    for (const touched of ended) if (hasRow(touched)) this.#compared.add(touched.paymentId);
    return [...open, ...ended];
  }

  /** Keeps payments that can still change. A refund has two events and no open work. */
  #hasEnded(touched: TouchedPayment): boolean {
    const { paymentId, payment } = touched;
    if (touched.isNew && !this.#open.has(paymentId)) this.#begun += 1;
    if (!hasRow(touched) || payment.status === 'pending' || openWork(touched) !== null) {
      this.#open.set(paymentId, touched);
      return false;
    }
    this.#open.delete(paymentId);
    if (this.#books.transitOf(paymentId) !== 0) {
      this.#note('transit', `payment ${paymentId}: has ended, and its money is still in transit`);
    }
    return true;
  }

  async #comparePayments(touched: readonly TouchedPayment[]): Promise<void> {
    const rows = touched
      .filter(({ paymentId }) => !this.#compared.delete(paymentId))
      .map(paymentRow)
      .filter((row) => row !== null);
    for (const difference of await this.#payments.compare(rows)) {
      this.#noteRow('read models', 'payments', difference);
    }
  }

  /** Reads a payment from the store, because it is no longer in memory. Rarely needed. */
  async #eventsOf(paymentId: string) {
    return (await this.parts.store.readStream(paymentStream(paymentId), WHOLE_PAYMENT)).map(readPaymentEvent);
  }

  #noteOther(kind: Kind, table: string, key: string | null): void {
    if (key !== null) this.#note(kind, `${table} ${key}: not from an event`);
  }

  #noteRow(kind: Kind, table: string, { key, columns }: Difference): void {
    const problem = columns === null ? 'missing' : `differs in ${columns.join(', ')}`;
    this.#note(kind, `${table} ${key}: ${problem}`);
  }

  #note(kind: Kind, difference: string): void {
    this.parts.findings.add(kind, difference);
  }
}

const MONEY_COLUMNS = ['debit_account', 'credit_account', 'amount_cents'];

/** Returns the kind of account of a journal line: funding source, transit or the wallet alone. */
function kindOfLine({ expected, columns }: Difference): Kind {
  if (touches(expected, 'funding:')) return 'funding';
  const isOfMoney = columns === null || columns.some((column) => MONEY_COLUMNS.includes(column));
  return isOfMoney && touches(expected, 'transit:') ? 'transit' : 'wallets';
}

function touches({ debit_account, credit_account }: Row, prefix: string): boolean {
  return [debit_account, credit_account].some((account) => String(account).startsWith(prefix));
}
