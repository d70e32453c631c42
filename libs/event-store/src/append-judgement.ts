import { tailAfter, tailWithinUnit } from './append-unit.js';
import type { EncodableUnit } from './copy-encoder.js';
import { NO_STREAM, type StreamAppend } from './event-store.js';
import type { KnownRevisions } from './known-revisions.js';
import type { EventStoreLimits } from './limits.js';
import type { RefusedStreams } from './refused-streams.js';

/** A unit in the queue. */
export interface WaitingUnit extends EncodableUnit {
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

export interface Knowledge {
  readonly known: KnownRevisions;
  readonly refused: RefusedStreams;
  /** Streams that were looked up for this batch, with the newest revision found. */
  readonly lookedUp: ReadonlyMap<string, number>;
  readonly limits: EventStoreLimits;
}

export interface Refused {
  readonly waiting: WaitingUnit;
  readonly append: StreamAppend;
}

/** What to do next with the units that wait. */
export type Judgement =
  /** Look up the newest revision of these streams and judge again. */
  | { readonly kind: 'look-up'; readonly streams: readonly string[] }
  /** Some unit is stale, or stored already: compare all with what stands in the log. */
  | { readonly kind: 'compare' }
  | {
      readonly kind: 'send';
      readonly ready: WaitingUnit[];
      readonly refused: readonly Refused[];
      readonly later: WaitingUnit[];
    };

type Verdict = 'fits' | 'later' | 'compare' | 'look-up' | 'refused';

/**
 * Decides, in the order in which they came in, which of the waiting units go into the next statement. The unique
 * index refuses a revision that is taken, but not one that leaves a gap: so a unit goes out only when every revision
 * that it builds on is known to exist or is written by a unit before it.
 */
export function judge(waitingUnits: readonly WaitingUnit[], knowledge: Knowledge): Judgement {
  const batch = new BatchInMaking(knowledge);
  const unknown = new Set<string>();
  for (const [index, waiting] of waitingUnits.entries()) {
    if (batch.isFullFor(waiting)) return batch.close(unknown, waitingUnits.slice(index));
    const [verdict, append] = batch.judgeUnit(waiting);
    if (verdict === 'compare') return { kind: 'compare' };
    if (verdict === 'later') return batch.close(unknown, waitingUnits.slice(index));
    if (verdict === 'refused' && append !== null) batch.refuse({ waiting, append });
    else if (verdict === 'look-up' && append !== null) unknown.add(append.stream);
    if (verdict === 'fits' || verdict === 'look-up') batch.add(waiting);
  }
  return batch.close(unknown, []);
}

class BatchInMaking {
  readonly #ready: WaitingUnit[] = [];
  readonly #refused: Refused[] = [];
  readonly #tails = new Map<string, number>();
  #bytes = 0;

  constructor(private readonly knowledge: Knowledge) {}

  isFullFor({ byteBound }: WaitingUnit): boolean {
    const { unitsPerBatch, bytesPerBatch } = this.knowledge.limits;
    return this.#ready.length > 0 && (this.#ready.length >= unitsPerBatch || this.#bytes + byteBound > bytesPerBatch);
  }

  /** The verdict on a unit, and the append that it rests on. */
  judgeUnit({ unit, ticket }: WaitingUnit): readonly [Verdict, StreamAppend | null] {
    for (const [index, append] of unit.entries()) {
      const within = tailWithinUnit(unit, index);
      const verdict = within === null ? this.#judgeFirst(append, ticket) : within === append.expectedRevision;
      if (verdict === false) return ['refused', append];
      if (verdict !== true && verdict !== 'fits') return [verdict, append];
    }
    return ['fits', null];
  }

  add(waiting: WaitingUnit): void {
    this.#ready.push(waiting);
    this.#bytes += waiting.byteBound;
    for (const append of waiting.unit) this.#tails.set(append.stream, tailAfter(append));
  }

  refuse(refused: Refused): void {
    this.#refused.push(refused);
  }

  close(unknown: ReadonlySet<string>, later: WaitingUnit[]): Judgement {
    if (unknown.size > 0) return { kind: 'look-up', streams: [...unknown] };
    return { kind: 'send', ready: this.#ready, refused: this.#refused, later };
  }

  #judgeFirst(append: StreamAppend, ticket: number): Verdict {
    const { stream, expectedRevision } = append;
    const { known, refused, lookedUp } = this.knowledge;
    if (refused.buildsOnRefused(append, ticket)) return 'compare';
    const tail = this.#tails.get(stream);
    if (tail !== undefined) return tail === expectedRevision ? 'fits' : 'later';
    const newest = known.newest(stream);
    if (newest !== undefined && newest > expectedRevision) return 'compare';
    if (newest === expectedRevision || expectedRevision === NO_STREAM) return 'fits';
    return lookedUp.has(stream) ? 'refused' : 'look-up';
  }
}
