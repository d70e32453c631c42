import { LIMITS } from '@settle/config';
import { START, type EventStore, type StoredEvent } from '@settle/event-store';
import type { ClientBase } from 'pg';
import { BatchFold } from '../projections/batch-fold.js';
import { PROJECTION } from '../projections/read-model-writer.js';
import type { OpenWork } from '../projections/open-work/open-work.js';
import { LEDGER_PREFIXES } from '../streams.js';
import { Books, type Sums } from './books.js';
import { feeRow, journalRow, openWork, paymentRow, workRow } from './expected-rows.js';
import { RowComparison, type ComparedTable, type Difference } from './row-comparison.js';

const { verifyBatch, silenceMs, differencesListed } = LIMITS.operators;

export interface AuditReport extends Sums {
  /** Events up to here have been looked at: as far as the read models were. */
  readonly position: number;
  readonly events: number;
  readonly payments: number;
  readonly wallets: number;
  /** Whether every cent is accounted for, at every step of every wallet. */
  readonly conserved: boolean;
  readonly offences: readonly string[];
  /** The first `differencesListed` places where a read model is not what a replay of the events gives. */
  readonly differences: readonly Difference[];
}

export interface AuditedLedger {
  readonly store: EventStore;
  /** Its connection is in a transaction of isolation level `repeatable read`, so that all it reads is of one moment. */
  readonly client: ClientBase;
}

/**
 * Replays the events in memory and compares what comes of them with the read models. Money may move meanwhile: rows
 * and checkpoint are read as of one moment. Holds each payment's state in memory, and each wallet's balance.
 * Error: the log ends, or falls silent, before the place that the read models have reached.
 */
export async function auditReadModels({ store, client }: AuditedLedger): Promise<AuditReport> {
  const { rows } = await client.query<{ position: string }>('select position from checkpoints where name = $1', [
    PROJECTION,
  ]);
  const position = Number(rows[0]?.position ?? START);
  const audit = new Audit(client);
  if (position > START) await replay(store, position, (events) => audit.take(events));
  return { position, ...(await audit.report()) };
}

/** Hands over every event of the ledger up to a position, in order. */
function replay(store: EventStore, upTo: number, take: (events: readonly StoredEvent[]) => Promise<void>) {
  return new Promise<void>((resolve, reject) => {
    const end = (outcome: () => void) => {
      clearTimeout(silence);
      void subscription.stop();
      outcome();
    };
    const fallSilent = () => end(() => reject(new Error('The event log ends before the place the read models show')));
    let silence = setTimeout(fallSilent, silenceMs);
    const subscription = store.subscribe({
      streamPrefixes: LEDGER_PREFIXES,
      after: START,
      batchSize: LIMITS.eventStore.eventsPerRead,
      handle: async (events, reached) => {
        clearTimeout(silence);
        await take(events.filter(({ position }) => position <= upTo));
        if (reached >= upTo) end(resolve);
        else silence = setTimeout(fallSilent, silenceMs);
      },
      onError: (error) => end(() => reject(error)),
    });
  });
}

class Audit {
  readonly #fold = new BatchFold([]);
  readonly #books = new Books();
  readonly #differences: Difference[] = [];
  readonly #feesOf = new Set<string>();
  readonly #linesOf = new Map<string, number>();
  readonly #journal: RowComparison;
  readonly #fees: RowComparison;
  readonly #payments: RowComparison;
  readonly #work: RowComparison;
  #events = 0;

  constructor(client: ClientBase) {
    const table = (name: string, key: ComparedTable['key']) => new RowComparison(client, { name, key });
    this.#journal = table('ledger_entries', { wallet_id: 'bigint', revision: 'int' });
    this.#fees = table('fee_entries', { payment_id: 'bigint' });
    this.#payments = table('payments', { id: 'bigint' });
    this.#work = table('open_work', { payment_id: 'bigint', act: 'text' });
  }

  async take(events: readonly StoredEvent[]): Promise<void> {
    this.#events += events.length;
    for (const event of events) this.#fold.add(event);
    const lines = this.#fold.walletLines.splice(0);
    const fees = this.#fold.feeLines.splice(0);
    for (const line of lines) {
      this.#books.addLine(line);
      this.#linesOf.set(line.walletId, line.revision);
    }
    for (const { paymentId, entry } of fees) {
      this.#books.addFee(entry);
      this.#feesOf.add(paymentId);
    }
    this.#note(await this.#journal.compare(lines.map(journalRow)));
    this.#note(await this.#fees.compare(fees.map(feeRow)));
  }

  async report(): Promise<Omit<AuditReport, 'position'>> {
    const work = await this.#comparePayments();
    const { payments } = this.#fold;
    await this.#others(this.#journal, (key) => {
      const [walletId = '', revision] = key.split(':');
      return Number(revision) <= (this.#linesOf.get(walletId) ?? -1);
    });
    await this.#others(this.#fees, (key) => this.#feesOf.has(key));
    await this.#others(this.#payments, (key) => payments.has(key));
    await this.#others(this.#work, (key) => work.has(key));
    return {
      events: this.#events,
      payments: payments.size,
      wallets: this.#books.wallets,
      ...this.#books.sums(),
      conserved: this.#books.areBalanced,
      offences: this.#books.offences.slice(0, differencesListed),
      differences: this.#differences,
    };
  }

  /** @returns what is open, as keys of its rows */
  async #comparePayments(): Promise<Set<string>> {
    const work = new Set<string>();
    const all = [...this.#fold.payments.values()];
    for (let first = 0; first < all.length; first += verifyBatch) {
      const batch = all.slice(first, first + verifyBatch);
      this.#note(await this.#payments.compare(batch.map(paymentRow).filter((row) => row !== null)));
      const open: OpenWork[] = [];
      for (const touched of batch) {
        const left = openWork(touched);
        if (left !== null) open.push(left);
        else if (this.#books.transitOf(touched.paymentId) !== 0) {
          this.#books.offences.push(`payment ${touched.paymentId}: has ended, and its money is still under way`);
        }
      }
      for (const { paymentId, act } of open) work.add(`${paymentId}:${act}`);
      this.#note(await this.#work.compare(open.map(workRow)));
    }
    return work;
  }

  async #others(table: RowComparison, isExpected: (key: string) => boolean): Promise<void> {
    this.#note(await table.others(isExpected, differencesListed));
  }

  #note(differences: readonly Difference[]): void {
    this.#differences.push(...differences.slice(0, differencesListed - this.#differences.length));
  }
}
