import { retry } from '@settle/concurrency';
import { AppendAborted, type StoredAppend } from './append-outcome.js';
import { findRevisionWithinUnit, groupConcurrent, validateUnit } from './append-unit.js';
import { prepareAppend, type AppendingClient, type PreparedAppend } from './appending-client.js';
import { isConflict, isPermanent, mayBeStored, describeError } from './eventstoredb-errors.js';
import {
  AppendOutcomeUnknown,
  RevisionConflict,
  START,
  StoreUnavailable,
  type AppendResult,
  type AppendUnit,
  type StreamAppend,
} from './event-store.js';
import type { EventStoreDbLimits } from './limits.js';
import { toPosition, type ReadingClient } from './reading-client.js';
import { RejectedRevisions } from './rejected-revisions.js';
import type { AppendCounts } from './append-metrics.js';
import { StreamQueues, type QueuePlaces } from './stream-queues.js';

export interface UnitAppenderOptions {
  readonly client: Pick<AppendingClient, 'append'>;
  readonly readExisting: ReadingClient['readExisting'];
  /** Called with each append that is stored, and the log position of its last event. */
  readonly onStored: (append: StreamAppend, position: number) => void;
  readonly limits: EventStoreDbLimits;
}

/**
 * Stores the appends of a unit one by one, in order, and those that are concurrent side by side; a failed unit may leave a
 * part. Units with a common stream append to it in order of arrival, and those that are ready at the same time with one
 * request. An append is retried with the same ids at the same revision, which the server recognizes, until it is stored or
 * rejected, or until its deadline.
 */
export class UnitAppender {
  readonly counts: AppendCounts = { stored: 0, conflict: 0, failed: 0 };
  readonly #queues: StreamQueues;
  readonly #rejected = new RejectedRevisions();
  /** Units in flight, by ticket, the oldest first. */
  readonly #inFlight = new Map<number, Promise<unknown>>();
  /** Called whenever a unit is stored or rejected. */
  readonly settledListeners = new Set<() => void>();
  /** The unit at the highest position. */
  #newest = { position: START, atMs: -Infinity };
  #isClosed = false;

  constructor(private readonly options: UnitAppenderOptions) {
    const store = (append: PreparedAppend, giveUpAtMs: number, isRepeated: boolean) =>
      this.#storeAppend(append, giveUpAtMs, isRepeated);
    this.#queues = new StreamQueues({ store, limits: options.limits });
  }

  get waiting(): number {
    return this.#inFlight.size;
  }

  /** Returns whether events of this process behind `position` are being stored, or were stored a moment ago. */
  expectsEventsAfter(position: number): boolean {
    if (this.#inFlight.size > 0) return true;
    return this.#newest.position > position && performance.now() - this.#newest.atMs < this.options.limits.gatherMs;
  }

  async append(unit: AppendUnit): Promise<AppendResult> {
    validateUnit(unit);
    const appends = this.#prepare(unit);
    const ticket = this.#rejected.nextTicket();
    const places = this.#queues.enqueue(unit.map(({ stream }) => stream));
    const promise = this.#storeUnit(appends, ticket, places);
    this.#inFlight.set(ticket, promise);
    try {
      const result = await promise;
      this.counts.stored += 1;
      if (result.position > this.#newest.position) this.#newest = { ...result, atMs: performance.now() };
      return result;
    } catch (error) {
      this.counts[error instanceof RevisionConflict ? 'conflict' : 'failed'] += 1;
      throw error;
    } finally {
      this.#inFlight.delete(ticket);
      const [oldest = Infinity] = this.#inFlight.keys();
      this.#rejected.forgetBefore(oldest);
      for (const listener of this.settledListeners) listener();
    }
  }

  /** Units that were decided on one that is refused here are rejected as well. */
  #prepare(unit: AppendUnit): readonly PreparedAppend[] {
    const { limits } = this.options;
    try {
      if (this.#isClosed) throw new StoreUnavailable('the store is closed');
      if (this.#inFlight.size >= limits.unitsWaiting) {
        this.counts.failed += 1;
        throw new StoreUnavailable('too many units are queued');
      }
      return unit.map((append) => prepareAppend(append, limits));
    } catch (error) {
      this.#rejected.add(unit);
      throw error;
    }
  }

  /** Rejects further units and waits for those in flight. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#inFlight.values());
  }

  async #storeUnit(appends: readonly PreparedAppend[], ticket: number, places: QueuePlaces): Promise<AppendResult> {
    const sinceMs = performance.now();
    let giveUpAtMs: number | null = null;
    let isRepeated: boolean | null = null;
    let position = START;
    const stored = new Set<PreparedAppend>();
    const begin = (append: PreparedAppend): number => {
      giveUpAtMs ??= this.#startStoring(appends, ticket, sinceMs);
      this.#throwIfStale(append, ticket);
      return giveUpAtMs;
    };
    const store = async (append: PreparedAppend): Promise<void> => {
      const isLastOfStream = appends.findLast(({ stream }) => stream === append.stream) === append;
      const ready = { append, isLastOfStream, isRepeated: isRepeated === true, begin: () => begin(append) };
      const result = await places.store(ready);
      // If the first append was stored before, with the same ids, all others must have been, too: the unit may have been
      // decided on a state that contains them, at other revisions, and they would be stored twice.
      isRepeated ??= !result.isStoredByThisCall;
      if (isRepeated === result.isStoredByThisCall) throw buildConflict(append);
      this.options.onStored(append, result.position);
      position = Math.max(position, result.position);
      stored.add(append);
      if (isLastOfStream) places.leave(append.stream);
    };
    try {
      for (const group of groupAfterFirst(appends)) await storeGroup(group, store, places);
      return { position };
    } catch (error) {
      this.#rejected.add(appends.filter((append) => !stored.has(append)));
      if (!(error instanceof AppendAborted)) throw error;
      if (stored.size > 0 || error.mayBeStored) throw new AppendOutcomeUnknown(error.message);
      throw new StoreUnavailable(error.message);
    } finally {
      places.leaveAll();
    }
  }

  /** Validates the unit before its first append, while nothing is stored. Returns the time to give up. */
  #startStoring(appends: readonly PreparedAppend[], ticket: number, sinceMs: number): number {
    const { unitWaitMs, appendGiveUpMs } = this.options.limits;
    const nowMs = performance.now();
    // The caller of a unit that waited too long may have given up, so the unit must not be stored.
    if (nowMs - sinceMs > unitWaitMs) throw new AppendAborted('the unit waited too long in the queue', false);
    for (const [index, append] of appends.entries()) {
      const revision = findRevisionWithinUnit(appends, index);
      if (revision === null) this.#throwIfStale(append, ticket);
      else if (revision !== append.expectedRevision) throw buildConflict(append);
    }
    return nowMs + appendGiveUpMs;
  }

  #throwIfStale(append: PreparedAppend, ticket: number): void {
    if (this.#rejected.isStale(append, ticket)) throw buildConflict(append);
  }

  /** Retries until the append is stored. */
  async #storeAppend(append: PreparedAppend, giveUpAtMs: number, isRepeated: boolean): Promise<StoredAppend> {
    const { sendAtLeastMs, retryPauseMinMs: minPauseMs, reconnectPauseMaxMs: maxPauseMs } = this.options.limits;
    const latestMs = giveUpAtMs - sendAtLeastMs;
    if (performance.now() > latestMs) throw new AppendAborted('the append missed its deadline', false);
    let isMaybeStored = false;
    const attempt = async () => {
      const stored = isRepeated ? null : await this.#send(append, giveUpAtMs - performance.now());
      if (stored !== null) return stored;
      // Until the events that stand there are read, they may be these.
      isMaybeStored = true;
      return this.#confirmExisting(append);
    };
    try {
      return await retry(attempt, {
        minPauseMs,
        maxPauseMs,
        giveUpAtMs: latestMs,
        isRetryable: (error) => !(error instanceof RevisionConflict || isPermanent(error)),
        onError: (error) => (isMaybeStored ||= mayBeStored(error)),
      });
    } catch (error) {
      if (error instanceof RevisionConflict) throw error;
      throw new AppendAborted(describeError(error), isMaybeStored);
    }
  }

  /** Returns null if events stand there: those of another writer, of an earlier call, or of an earlier attempt of this call. */
  async #send(append: PreparedAppend, leftMs: number): Promise<StoredAppend | null> {
    try {
      const position = await this.options.client.append(append, leftMs);
      if (position !== undefined) return { position: toPosition(position), isStoredByThisCall: true };
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    return null;
  }

  /** Returns the stored append. Error: `RevisionConflict` unless the stream has all its events, with the same ids. */
  async #confirmExisting(append: PreparedAppend): Promise<StoredAppend> {
    const existing = await this.options.readExisting(append);
    const last = existing.at(-1);
    const isWhole = append.events.every(({ id }, index) => existing[index]?.id === id);
    if (!isWhole || last === undefined) throw buildConflict(append);
    return { position: last.position, isStoredByThisCall: append.eventIds.at(-1) === last.eventId };
  }
}

/** Returns the appends as `groupConcurrent`, with the first by itself, because its outcome decides about the others. */
function groupAfterFirst(appends: readonly PreparedAppend[]): PreparedAppend[][] {
  const [first = [], ...groups] = groupConcurrent(appends);
  return [first.slice(0, 1), first.slice(1), ...groups];
}

/**
 * Stores appends side by side and waits for all of them. After a failure those that have not begun are withdrawn.
 * Error: `AppendAborted` if one was aborted, because the outcome is then unknown; else the first error.
 */
async function storeGroup(
  appends: readonly PreparedAppend[],
  store: (append: PreparedAppend) => Promise<void>,
  places: QueuePlaces,
): Promise<void> {
  const errors: unknown[] = [];
  const storing = appends.map((append) =>
    store(append).catch((error: unknown) => {
      errors.push(error);
      places.withdraw(error);
    }),
  );
  await Promise.all(storing);
  if (errors.length > 0) throw errors.find((error) => error instanceof AppendAborted) ?? errors[0];
}

function buildConflict({ stream, expectedRevision }: StreamAppend): RevisionConflict {
  return new RevisionConflict(stream, expectedRevision);
}
