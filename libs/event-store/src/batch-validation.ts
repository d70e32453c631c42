import { computeRevisionAfter, findRevisionWithinUnit } from './append-unit.js';
import type { EncodableUnit } from './copy-encoder.js';
import { NO_STREAM, type StreamAppend } from './event-store.js';
import type { RevisionCache } from './revision-cache.js';
import type { EventStoreLimits } from './limits.js';
import type { RejectedRevisions } from './rejected-revisions.js';

/** A unit in the queue. */
export interface QueuedUnit extends EncodableUnit {
  readonly eventCount: number;
  /** Its place in the order in which units came in. */
  readonly ticket: number;
  /** When it came in, on the clock of `performance.now`. */
  readonly sinceMs: number;
  /** It went out and no answer came: it may be stored. */
  outcomeUnknown: boolean;
  readonly resolve: (result: { readonly position: number }) => void;
  readonly reject: (error: Error) => void;
}

export interface ValidationContext {
  readonly revisions: RevisionCache;
  readonly rejected: RejectedRevisions;
  /** Streams that were looked up for this batch, with the newest revision found. */
  readonly lookedUp: ReadonlyMap<string, number>;
  readonly limits: EventStoreLimits;
}

export interface RejectedUnit {
  readonly waiting: QueuedUnit;
  readonly append: StreamAppend;
}

/** What to do next with the units that wait. */
export type BatchValidation =
  /** Look up the newest revision of these streams and judge again. */
  | { readonly kind: 'look-up'; readonly streams: readonly string[] }
  /** Some unit is stale, or stored already: compare all with what stands in the log. */
  | { readonly kind: 'compare' }
  | {
      readonly kind: 'send';
      readonly ready: QueuedUnit[];
      readonly refused: readonly RejectedUnit[];
      readonly later: QueuedUnit[];
    };

type UnitVerdict = 'fits' | 'later' | 'compare' | 'look-up' | 'refused';

/**
 * Decides, in the order in which they came in, which of the waiting units go into the next statement. The unique
 * index refuses a revision that is taken, but not one that leaves a gap: so a unit goes out only when every revision
 * that it builds on is known to exist or is written by a unit before it.
 */
export function validateBatch(waitingUnits: readonly QueuedUnit[], knowledge: ValidationContext): BatchValidation {
  const batch = new BatchBuilder(knowledge);
  const unknown = new Set<string>();
  for (const [index, waiting] of waitingUnits.entries()) {
    if (batch.isFullFor(waiting)) return batch.build(unknown, waitingUnits.slice(index));
    const [verdict, append] = batch.validateUnit(waiting);
    if (verdict === 'compare') return { kind: 'compare' };
    if (verdict === 'later') return batch.build(unknown, waitingUnits.slice(index));
    if (verdict === 'refused' && append !== null) batch.reject({ waiting, append });
    else if (verdict === 'look-up' && append !== null) unknown.add(append.stream);
    if (verdict === 'fits' || verdict === 'look-up') batch.add(waiting);
  }
  return batch.build(unknown, []);
}

class BatchBuilder {
  readonly #ready: QueuedUnit[] = [];
  readonly #rejected: RejectedUnit[] = [];
  readonly #newestRevisions = new Map<string, number>();
  #bytes = 0;

  constructor(private readonly knowledge: ValidationContext) {}

  isFullFor({ byteBound }: QueuedUnit): boolean {
    const { unitsPerBatch, bytesPerBatch } = this.knowledge.limits;
    return this.#ready.length > 0 && (this.#ready.length >= unitsPerBatch || this.#bytes + byteBound > bytesPerBatch);
  }

  /** The verdict on a unit, and the append that it rests on. */
  validateUnit({ unit, ticket }: QueuedUnit): readonly [UnitVerdict, StreamAppend | null] {
    for (const [index, append] of unit.entries()) {
      const within = findRevisionWithinUnit(unit, index);
      const verdict = within === null ? this.#validateAppend(append, ticket) : within === append.expectedRevision;
      if (verdict === false) return ['refused', append];
      if (verdict !== true && verdict !== 'fits') return [verdict, append];
    }
    return ['fits', null];
  }

  add(waiting: QueuedUnit): void {
    this.#ready.push(waiting);
    this.#bytes += waiting.byteBound;
    for (const append of waiting.unit) this.#newestRevisions.set(append.stream, computeRevisionAfter(append));
  }

  reject(refused: RejectedUnit): void {
    this.#rejected.push(refused);
  }

  build(unknown: ReadonlySet<string>, later: QueuedUnit[]): BatchValidation {
    if (unknown.size > 0) return { kind: 'look-up', streams: [...unknown] };
    return { kind: 'send', ready: this.#ready, refused: this.#rejected, later };
  }

  #validateAppend(append: StreamAppend, ticket: number): UnitVerdict {
    const { stream, expectedRevision } = append;
    const { revisions, rejected, lookedUp } = this.knowledge;
    if (rejected.isStale(append, ticket)) return 'compare';
    const tail = this.#newestRevisions.get(stream);
    if (tail !== undefined) return tail === expectedRevision ? 'fits' : 'later';
    const newest = revisions.get(stream);
    if (newest !== undefined && newest > expectedRevision) return 'compare';
    if (newest === expectedRevision || expectedRevision === NO_STREAM) return 'fits';
    return lookedUp.has(stream) ? 'refused' : 'look-up';
  }
}
