import { computeRevisionAfter, findRevisionWithinUnit } from './append-unit.js';
import { NO_STREAM, type StreamAppend } from './event-store.js';
import type { RevisionCache } from './revision-cache.js';
import type { EventStoreLimits } from './limits.js';
import type { RejectedRevisions } from './rejected-revisions.js';
import type { EncodableUnit } from './store-events.js';

/** A unit in the queue of the writer. */
export interface QueuedUnit extends EncodableUnit {
  readonly byteBound: number;
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
  /** Units that conflict, with the append that does. */
  readonly rejected: readonly (readonly [QueuedUnit, StreamAppend])[];
  /** Units for a later statement. */
  readonly later: QueuedUnit[];
}

/** Why a unit does not fit. */
type Cause = 'later' | 'compare' | 'look-up' | 'conflict';

/** The verdict on a unit, and the append that has caused it. */
type UnitVerdict = readonly ['fits', null] | readonly [Cause, StreamAppend];

/**
 * Decides, in order of arrival, which units the next statement stores. The unique index rejects a duplicate revision but
 * not a gap, so a unit is sent only if every revision that it builds on exists or is written by an earlier unit.
 */
export function validateBatch(units: readonly QueuedUnit[], context: ValidationContext): BatchValidation {
  const { unitsPerBatch, bytesPerBatch } = context.limits;
  const ready: QueuedUnit[] = [];
  const rejected: [QueuedUnit, StreamAppend][] = [];
  const unknown = new Set<string>();
  const newestInBatch = new Map<string, number>();
  let bytes = 0;
  for (const queued of units) {
    const { unit, byteBound } = queued;
    if (ready.length > 0 && (ready.length >= unitsPerBatch || bytes + byteBound > bytesPerBatch)) break;
    const [verdict, append] = validateUnit(queued, newestInBatch, context);
    if (verdict === 'compare') return { kind: 'compare' };
    if (verdict === 'later') break;
    if (verdict === 'conflict') {
      rejected.push([queued, append]);
      continue;
    }
    if (verdict === 'look-up') unknown.add(append.stream);
    ready.push(queued);
    bytes += byteBound;
    for (const stored of unit) newestInBatch.set(stored.stream, computeRevisionAfter(stored));
  }
  if (unknown.size > 0) return { kind: 'look-up', streams: [...unknown] };
  return { kind: 'send', ready, rejected, later: units.slice(ready.length + rejected.length) };
}

function validateUnit(
  { unit, ticket }: QueuedUnit,
  newestInBatch: ReadonlyMap<string, number>,
  context: ValidationContext,
): UnitVerdict {
  for (const [index, append] of unit.entries()) {
    const withinUnit = findRevisionWithinUnit(unit, index);
    if (withinUnit === append.expectedRevision) continue;
    if (withinUnit !== null) return ['conflict', append];
    const verdict = validateAppend(append, ticket, newestInBatch, context);
    if (verdict !== 'fits') return [verdict, append];
  }
  return ['fits', null];
}

function validateAppend(
  append: StreamAppend,
  ticket: number,
  newestInBatch: ReadonlyMap<string, number>,
  { revisions, rejected, lookedUp }: ValidationContext,
): 'fits' | Cause {
  const { stream, expectedRevision } = append;
  if (rejected.isStale(append, ticket)) return 'compare';
  const inBatch = newestInBatch.get(stream);
  if (inBatch !== undefined) return inBatch === expectedRevision ? 'fits' : 'later';
  const newest = revisions.get(stream);
  if (newest !== undefined && newest > expectedRevision) return 'compare';
  if (newest === expectedRevision || expectedRevision === NO_STREAM) return 'fits';
  return lookedUp.has(stream) ? 'conflict' : 'look-up';
}
