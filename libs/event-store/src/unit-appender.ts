import { validateUnit, findRevisionWithinUnit } from './append-unit.js';
import { prepareAppend, type AppendingClient, type PreparedAppend } from './appending-client.js';
import { isConflict, isPermanentError, mayBeStored, describeError } from './eventstoredb-errors.js';
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
import { toPosition } from './log-position.js';
import type { ReadingClient } from './reading-client.js';
import { RejectedRevisions } from './rejected-revisions.js';
import type { AppendCounts } from './append-metrics.js';
import { StreamQueues, type QueuePositions } from './stream-queues.js';

export interface UnitAppenderOptions {
  readonly client: Pick<AppendingClient, 'append'>;
  readonly readExisting: ReadingClient['readExisting'];
  readonly limits: EventStoreDbLimits;
}

/** No more tries for one append. */
class AppendAborted extends Error {
  constructor(
    reason: string,
    readonly mayBeStored: boolean,
  ) {
    super(reason);
  }
}

/** Where the last event of an append stands, and whether this sending of its unit put it there. */
interface StoredAppend {
  readonly position: number;
  readonly isOurs: boolean;
}

/** How far a unit has come. */
interface UnitProgress {
  readonly ticket: number;
  readonly sinceMs: number;
  giveUpAtMs: number;
  storedAppends: number;
  /** The whole unit stood there before; null until its first append is answered. */
  isRepeated: boolean | null;
  position: number;
}

/**
 * Stores units append by append, in their order; what fails leaves a prefix behind. Units that share a stream append
 * to it in the order in which they came in. An append is tried again with the same ids at the same revision, which the
 * server recognises, until it is stored, refused, or too late.
 */
export class UnitAppender {
  readonly counts: AppendCounts = { stored: 0, conflict: 0, failed: 0 };
  newestPosition = START;
  readonly #queues = new StreamQueues();
  readonly #rejected = new RejectedRevisions();
  /** Units under way, by ticket, the oldest first. */
  readonly #inFlight = new Map<number, Promise<unknown>>();
  #isClosed = false;

  constructor(private readonly options: UnitAppenderOptions) {}

  get waiting(): number {
    return this.#inFlight.size;
  }

  async append(unit: AppendUnit): Promise<AppendResult> {
    const { limits } = this.options;
    validateUnit(unit);
    const appends = unit.map((append) => prepareAppend(append, limits));
    if (this.#isClosed) throw new StoreUnavailable('it is closed');
    if (this.#inFlight.size >= limits.unitsWaiting) {
      this.counts.failed += 1;
      throw new StoreUnavailable('too many units are waiting');
    }
    const ticket = this.#rejected.nextTicket();
    const places = this.#queues.enqueue(unit.map(({ stream }) => stream));
    const storing = this.#storeUnit(appends, ticket, places);
    this.#inFlight.set(ticket, storing);
    try {
      const result = await storing;
      this.counts.stored += 1;
      this.newestPosition = Math.max(this.newestPosition, result.position);
      return result;
    } catch (error) {
      this.counts[error instanceof RevisionConflict ? 'conflict' : 'failed'] += 1;
      throw error;
    } finally {
      this.#inFlight.delete(ticket);
      const [oldest = Infinity] = this.#inFlight.keys();
      this.#rejected.forgetBefore(oldest);
    }
  }

  /** Refuses further units and waits for those under way. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#inFlight.values());
  }

  async #storeUnit(appends: readonly PreparedAppend[], ticket: number, places: QueuePositions): Promise<AppendResult> {
    const progress: UnitProgress = {
      ticket,
      sinceMs: performance.now(),
      giveUpAtMs: Infinity,
      storedAppends: 0,
      isRepeated: null,
      position: START,
    };
    try {
      for (const [index, append] of appends.entries()) {
        await places.waitForTurn(append.stream);
        if (index === 0) this.#startStoring(appends, progress);
        else this.#throwIfStale(append, progress);
        await this.#storeNext(append, progress);
        if (!appends.slice(index + 1).some(({ stream }) => stream === append.stream)) places.leave(append.stream);
      }
      return { position: progress.position };
    } catch (error) {
      this.#rejected.add(appends.slice(progress.storedAppends));
      throw toOutcomeError(error, progress);
    } finally {
      places.leaveAll();
    }
  }

  /**
   * One append further. When the first stands there already, under the same ids, the others must too: they may have
   * been decided on a state that holds them, at other revisions, and would be stored twice.
   */
  async #storeNext(append: PreparedAppend, progress: UnitProgress): Promise<void> {
    const { position, isOurs } = await this.#storeAppend(append, progress);
    progress.isRepeated ??= !isOurs;
    if (progress.isRepeated === isOurs) throw buildConflict(append);
    progress.position = Math.max(progress.position, position);
    progress.storedAppends += 1;
  }

  /** The last moment at which nothing is stored: what can be known to fail fails here. */
  #startStoring(appends: readonly PreparedAppend[], progress: UnitProgress): void {
    const { unitWaitMs, appendGiveUpMs } = this.options.limits;
    const nowMs = performance.now();
    // Whoever waited so long may have been given up by then, and must not be stored behind the back of that.
    if (nowMs - progress.sinceMs > unitWaitMs) throw new AppendAborted('it waited too long for those before it', false);
    progress.giveUpAtMs = nowMs + appendGiveUpMs;
    for (const [index, append] of appends.entries()) {
      const tail = findRevisionWithinUnit(appends, index);
      if (tail === null) this.#throwIfStale(append, progress);
      else if (tail !== append.expectedRevision) throw buildConflict(append);
    }
  }

  #throwIfStale(append: PreparedAppend, { ticket }: UnitProgress): void {
    if (this.#rejected.isStale(append, ticket)) throw buildConflict(append);
  }

  /** Tries until the append is there. */
  async #storeAppend(append: PreparedAppend, { giveUpAtMs, isRepeated }: UnitProgress): Promise<StoredAppend> {
    const { limits } = this.options;
    let mayStand = false;
    let reason = 'it came too late';
    for (let pauseMs = limits.retryPauseMinMs; ; pauseMs = Math.min(pauseMs * 2, limits.reconnectPauseMaxMs)) {
      const leftMs = giveUpAtMs - performance.now();
      if (leftMs < limits.sendAtLeastMs) throw new AppendAborted(reason, mayStand);
      try {
        return await (isRepeated === true ? this.#confirmExisting(append) : this.#send(append, leftMs));
      } catch (error) {
        if (error instanceof RevisionConflict) throw error;
        mayStand ||= mayBeStored(error);
        reason = describeError(error);
        if (isPermanentError(error)) throw new AppendAborted(reason, mayStand);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random() / 2)));
    }
  }

  async #send(append: PreparedAppend, leftMs: number): Promise<StoredAppend> {
    try {
      const position = await this.options.client.append(append, leftMs);
      if (position !== undefined) return { position: toPosition(position), isOurs: true };
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    // Another's, ours from a sending before, or ours from a try that was stored while this one was answered.
    return this.#confirmExisting(append);
  }

  /** Errors: `RevisionConflict` unless all of the append's events stand where they should, under their ids. */
  async #confirmExisting(append: PreparedAppend): Promise<StoredAppend> {
    const standing = await this.options.readExisting(append);
    const last = standing.at(-1);
    const isWhole = append.events.every(({ id }, index) => standing[index]?.id === id);
    if (!isWhole || last === undefined) throw buildConflict(append);
    return { position: last.position, isOurs: append.eventIds.at(-1) === last.eventId };
  }
}

function buildConflict({ stream, expectedRevision }: StreamAppend): RevisionConflict {
  return new RevisionConflict(stream, expectedRevision);
}

function toOutcomeError(error: unknown, { storedAppends }: UnitProgress): unknown {
  if (!(error instanceof AppendAborted)) return error;
  if (storedAppends > 0 || error.mayBeStored) return new AppendOutcomeUnknown(error.message);
  return new StoreUnavailable(error.message);
}
