import { computeRevisionAfter, findRevisionWithinUnit } from './append-unit.js';
import { NO_STREAM, type StreamAppend } from './event-store.js';
import type { RevisionCache } from './revision-cache.js';
import type { EventStoreLimits } from './limits.js';
import type { RejectedRevisions } from './rejected-revisions.js';
import type { EncodableUnit } from './store-events.js';

/** A unit in the queue of the writer. */
export interface QueuedUnit extends EncodableUnit {
  readonly byteBound: number;
  readonly eventCount: number;
  /** Sequence number in order of arrival. */
  readonly ticket: number;
  /** Time of arrival on the clock of `performance.now()`. */
  readonly sinceMs: number;
  /** Whether the unit was sent without a response, so that it may be stored. */
  outcomeUnknown: boolean;
  readonly resolve: (result: { readonly position: number }) => void;
  readonly reject: (error: Error) => void;
}

export interface ValidationContext {
  readonly revisions: RevisionCache;
  readonly rejected: RejectedRevisions;
  /** Newest revisions of the streams that were looked up for this batch. */
  readonly lookedUp: ReadonlyMap<string, number>;
  readonly limits: EventStoreLimits;
}

export interface RejectedUnit {
  readonly queued: QueuedUnit;
  readonly append: StreamAppend;
}

/** The next step for the units of a batch. */
export type BatchValidation =
  /** Look up the newest revisions of these streams and validate again. */
  | { readonly kind: 'look-up'; readonly streams: readonly string[] }
  /** A unit may be stale or stored already: compare all units with the log. */
  | { readonly kind: 'compare' }
  | SendableBatch;

export interface SendableBatch {
  readonly kind: 'send';
  readonly ready: QueuedUnit[];
  readonly rejected: readonly RejectedUnit[];
  /** Units for a later statement. */
  readonly later: QueuedUnit[];
}

type UnitVerdict = 'fits' | 'later' | 'compare' | 'look-up' | 'conflict';

/**
 * Decides, in order of arrival, which units the next statement stores. The unique index rejects a duplicate revision but
 * not a gap, so a unit is sent only if every revision that it builds on exists or is written by an earlier unit.
 */
export function validateBatch(units: readonly QueuedUnit[], context: ValidationContext): BatchValidation {
  const batch = new BatchBuilder(context);
  const unknown = new Set<string>();
  for (const [index, queued] of units.entries()) {
    if (batch.isFullFor(queued)) return batch.build(unknown, units.slice(index));
    const [verdict, append] = batch.validateUnit(queued);
    if (verdict === 'compare') return { kind: 'compare' };
    if (verdict === 'later') return batch.build(unknown, units.slice(index));
    if (verdict === 'conflict' && append !== null) batch.reject({ queued, append });
    else if (verdict === 'look-up' && append !== null) unknown.add(append.stream);
    if (verdict === 'fits' || verdict === 'look-up') batch.add(queued);
  }
  return batch.build(unknown, []);
}

class BatchBuilder {
  readonly #ready: QueuedUnit[] = [];
  readonly #rejected: RejectedUnit[] = [];
  readonly #newestRevisions = new Map<string, number>();
  #bytes = 0;

  constructor(private readonly context: ValidationContext) {}

  isFullFor({ byteBound }: QueuedUnit): boolean {
    const { unitsPerBatch, bytesPerBatch } = this.context.limits;
    return this.#ready.length > 0 && (this.#ready.length >= unitsPerBatch || this.#bytes + byteBound > bytesPerBatch);
  }

  /** Returns the verdict on a unit and the append that has caused it. */
  validateUnit({ unit, ticket }: QueuedUnit): readonly [UnitVerdict, StreamAppend | null] {
    for (const [index, append] of unit.entries()) {
      const revision = findRevisionWithinUnit(unit, index);
      const verdict = revision === null ? this.#validateAppend(append, ticket) : revision === append.expectedRevision;
      if (verdict === false) return ['conflict', append];
      if (verdict !== true && verdict !== 'fits') return [verdict, append];
    }
    return ['fits', null];
  }

  add(queued: QueuedUnit): void {
    this.#ready.push(queued);
    this.#bytes += queued.byteBound;
    for (const append of queued.unit) this.#newestRevisions.set(append.stream, computeRevisionAfter(append));
  }

  reject(unit: RejectedUnit): void {
    this.#rejected.push(unit);
  }

  build(unknown: ReadonlySet<string>, later: QueuedUnit[]): BatchValidation {
    if (unknown.size > 0) return { kind: 'look-up', streams: [...unknown] };
    return { kind: 'send', ready: this.#ready, rejected: this.#rejected, later };
  }

  #validateAppend(append: StreamAppend, ticket: number): UnitVerdict {
    const { stream, expectedRevision } = append;
    const { revisions, rejected, lookedUp } = this.context;
    if (rejected.isStale(append, ticket)) return 'compare';
    const inBatch = this.#newestRevisions.get(stream);
    if (inBatch !== undefined) return inBatch === expectedRevision ? 'fits' : 'later';
    const newest = revisions.get(stream);
    if (newest !== undefined && newest > expectedRevision) return 'compare';
    if (newest === expectedRevision || expectedRevision === NO_STREAM) return 'fits';
    return lookedUp.has(stream) ? 'conflict' : 'look-up';
  }
}
