import { hash } from 'node:crypto';
import { LIMITS } from '@settle/config';
import type { ReadableLog, StoredEvent } from '@settle/event-store';
import type { ClientBase } from 'pg';
import { readFundingBefore } from '../read-models/funding/earlier-funding.js';
import {
  FundingFold,
  earlierFundingRefs,
  fundingKeyOf,
  newTouchedFunding,
  type TouchedFunding,
} from '../read-models/funding/funding-fold.js';
import { FUNDING } from '../read-models/funding/funding.table.js';
import type { FundingRow } from '../read-models/funding/funding-row.js';
import type { FundingRef } from '../read-models/funding/funding-unit.js';
import { LEDGER_PROJECTION } from '../read-models/ledger/ledger-projection.js';
import { projectedFunding } from '../read-models/ledger/ledger-table.js';
import { readLedgerEvent, type LedgerEvent } from '../storage/streams.js';
import { CheckpointReplay, type CheckpointSource } from './replay.js';
import { countRows } from './row-comparison.js';

const { verifyBatch } = LIMITS.operators;

/** One of `parts` parts of the funding streams, which are verified one after the other. */
export interface FundingPart {
  readonly part: number;
  readonly parts: number;
}

/** Returns into how many parts the funding streams are divided. @param most funding streams in memory */
export async function countFundingParts(client: ClientBase, most: number): Promise<number> {
  return Math.max(1, Math.ceil((await countRows(client, FUNDING.table)) / most));
}

/** Reads the log once more for each part but the first, and compares it at the checkpoint. */
export async function verifyOtherFunding(
  source: LogAndReadModels & CheckpointSource,
  parts: number,
  compare: (funding: FundingStreamStates) => Promise<void>,
): Promise<void> {
  for (let part = 1; part < parts; part += 1) {
    const funding = new FundingStreamStates({ part, parts }, source);
    const replay = new CheckpointReplay(source, LEDGER_PROJECTION, async (events) => funding.take(events));
    await replay.catchUp();
    await replay.atCheckpoint(() => compare(funding));
  }
}

/** The log, and the read models at a checkpoint of it. */
export interface LogAndReadModels {
  readonly store: ReadableLog;
  /** With a snapshot while rows are compared. */
  readonly client: ClientBase;
}

/**
 * The funding streams of one part, in their state after the events so far. None is dropped before the end: a payout may
 * return long after it was paid.
 */
export class FundingStreamStates {
  readonly #states = new Map<string, TouchedFunding>();

  constructor(
    private readonly part: FundingPart,
    private readonly source: LogAndReadModels,
  ) {}

  get isLast(): boolean {
    return this.part.part === this.part.parts - 1;
  }

  /** Returns the rows to expect, a bounded number at a time. */
  *rows(): Generator<readonly FundingRow[]> {
    const all = [...this.#states.values()];
    for (let first = 0; first < all.length; first += verifyBatch) {
      yield projectedFunding(all.slice(first, first + verifyBatch), 0).flatMap(
        (funding) => FUNDING.fundingRowOf?.(funding) ?? [],
      );
    }
  }

  /** Returns a stream in its state at a log position, which is that of the client's snapshot. */
  async find(ref: FundingRef, position: number): Promise<TouchedFunding> {
    const { store, client } = this.source;
    return this.#states.get(fundingKeyOf(ref)) ?? readFundingBefore(store, client, ref, { position: position + 1 });
  }

  /**
   * Returns the streams that a batch from this log position on changes and does not begin. Copies, so that a batch that fails
   * changes nothing. Streams of other parts come without the steps of wallets: nothing of them is compared.
   */
  async before(facts: readonly LedgerEvent[], position: number): Promise<TouchedFunding[]> {
    const { store, client } = this.source;
    const found: TouchedFunding[] = [];
    for (const ref of earlierFundingRefs(facts)) {
      const key = fundingKeyOf(ref);
      const touched = this.#states.get(key);
      if (touched !== undefined) found.push({ ...touched });
      else if (this.#isOfPart(key)) found.push(newTouchedFunding(ref));
      else found.push(await readFundingBefore(store, client, ref, { position, counts: () => false }));
    }
    return found;
  }

  record(touched: Iterable<TouchedFunding>): void {
    for (const each of touched) {
      const key = fundingKeyOf(each.funding);
      if (this.#isOfPart(key)) this.#states.set(key, { ...each, isNew: false });
    }
  }

  /** Folds a batch of events into the streams of this part alone. */
  take(events: readonly StoredEvent[]): void {
    const facts = events.map(readLedgerEvent);
    const known = earlierFundingRefs(facts).flatMap((ref) => this.#states.get(fundingKeyOf(ref)) ?? []);
    const fold = new FundingFold(known.map((touched) => ({ ...touched })));
    for (const fact of facts) {
      if (fact.kind === 'wallet') fold.addWalletEvent(fact.event);
      else if (fact.kind !== 'payment') fold.add(fact);
    }
    this.record(fold.touched());
  }

  #isOfPart(key: string): boolean {
    const { part, parts } = this.part;
    return parts === 1 || Number.parseInt(hash('sha1', key).slice(0, 8), 16) % parts === part;
  }
}
