import { checkUnit, tailWithinUnit } from './append-unit.js';
import { readyToSend, type AppendingClient, type SentAppend } from './appending-client.js';
import { isConflict, isFinal, mayBeStored, reasonOf } from './eventstoredb-errors.js';
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
import { positionOf } from './log-position.js';
import type { ReadingClient } from './reading-client.js';
import { RefusedStreams } from './refused-streams.js';
import type { AppendCounts } from './show-appends.js';
import { StreamTurns, type Places } from './stream-turns.js';

export interface UnitAppenderOptions {
  readonly client: Pick<AppendingClient, 'append'>;
  readonly standing: ReadingClient['standing'];
  readonly limits: EventStoreDbLimits;
}

/** No more tries for one append. */
class GaveUp extends Error {
  constructor(
    reason: string,
    readonly mayBeStored: boolean,
  ) {
    super(reason);
  }
}

/** Where the last event of an append stands, and whether this sending of its unit put it there. */
interface Standing {
  readonly position: number;
  readonly isOurs: boolean;
}

/** How far a unit has come. */
interface Progress {
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
  readonly #turns = new StreamTurns();
  readonly #refused = new RefusedStreams();
  /** Units under way, by ticket, the oldest first. */
  readonly #underWay = new Map<number, Promise<unknown>>();
  #closed = false;

  constructor(private readonly options: UnitAppenderOptions) {}

  get waiting(): number {
    return this.#underWay.size;
  }

  async append(unit: AppendUnit): Promise<AppendResult> {
    const { limits } = this.options;
    checkUnit(unit);
    const appends = unit.map((append) => readyToSend(append, limits));
    if (this.#closed) throw new StoreUnavailable('it is closed');
    if (this.#underWay.size >= limits.unitsWaiting) {
      this.counts.failed += 1;
      throw new StoreUnavailable('too many units are waiting');
    }
    const ticket = this.#refused.nextTicket();
    const places = this.#turns.queue(unit.map(({ stream }) => stream));
    const storing = this.#store(appends, ticket, places);
    this.#underWay.set(ticket, storing);
    try {
      const result = await storing;
      this.counts.stored += 1;
      this.newestPosition = Math.max(this.newestPosition, result.position);
      return result;
    } catch (error) {
      this.counts[error instanceof RevisionConflict ? 'conflict' : 'failed'] += 1;
      throw error;
    } finally {
      this.#underWay.delete(ticket);
      const [oldest = Infinity] = this.#underWay.keys();
      this.#refused.settledBefore(oldest);
    }
  }

  /** Refuses further units and waits for those under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#underWay.values());
  }

  async #store(appends: readonly SentAppend[], ticket: number, places: Places): Promise<AppendResult> {
    const progress: Progress = {
      ticket,
      sinceMs: performance.now(),
      giveUpAtMs: Infinity,
      storedAppends: 0,
      isRepeated: null,
      position: START,
    };
    try {
      for (const [index, append] of appends.entries()) {
        await places.turn(append.stream);
        if (index === 0) this.#begin(appends, progress);
        else this.#refuseIfStale(append, progress);
        await this.#advance(append, progress);
        if (!appends.slice(index + 1).some(({ stream }) => stream === append.stream)) places.leave(append.stream);
      }
      return { position: progress.position };
    } catch (error) {
      this.#refused.refuse(appends.slice(progress.storedAppends));
      throw outcomeOf(error, progress);
    } finally {
      places.leaveAll();
    }
  }

  /**
   * One append further. When the first stands there already, under the same ids, the others must too: they may have
   * been decided on a state that holds them, at other revisions, and would be stored twice.
   */
  async #advance(append: SentAppend, progress: Progress): Promise<void> {
    const { position, isOurs } = await this.#storeOne(append, progress);
    progress.isRepeated ??= !isOurs;
    if (progress.isRepeated === isOurs) throw conflictOf(append);
    progress.position = Math.max(progress.position, position);
    progress.storedAppends += 1;
  }

  /** The last moment at which nothing is stored: what can be known to fail fails here. */
  #begin(appends: readonly SentAppend[], progress: Progress): void {
    const { unitWaitMs, appendGiveUpMs } = this.options.limits;
    const nowMs = performance.now();
    // Whoever waited so long may have been given up by then, and must not be stored behind the back of that.
    if (nowMs - progress.sinceMs > unitWaitMs) throw new GaveUp('it waited too long for those before it', false);
    progress.giveUpAtMs = nowMs + appendGiveUpMs;
    for (const [index, append] of appends.entries()) {
      const tail = tailWithinUnit(appends, index);
      if (tail === null) this.#refuseIfStale(append, progress);
      else if (tail !== append.expectedRevision) throw conflictOf(append);
    }
  }

  #refuseIfStale(append: SentAppend, { ticket }: Progress): void {
    if (this.#refused.buildsOnRefused(append, ticket)) throw conflictOf(append);
  }

  /** Tries until the append is there. */
  async #storeOne(append: SentAppend, { giveUpAtMs, isRepeated }: Progress): Promise<Standing> {
    const { limits } = this.options;
    let mayStand = false;
    let reason = 'it came too late';
    for (let pauseMs = limits.retryPauseMinMs; ; pauseMs = Math.min(pauseMs * 2, limits.reconnectPauseMaxMs)) {
      const leftMs = giveUpAtMs - performance.now();
      if (leftMs < limits.sendAtLeastMs) throw new GaveUp(reason, mayStand);
      try {
        return await (isRepeated === true ? this.#standing(append) : this.#send(append, leftMs));
      } catch (error) {
        if (error instanceof RevisionConflict) throw error;
        mayStand ||= mayBeStored(error);
        reason = reasonOf(error);
        if (isFinal(error)) throw new GaveUp(reason, mayStand);
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs * (0.5 + Math.random() / 2)));
    }
  }

  async #send(append: SentAppend, leftMs: number): Promise<Standing> {
    try {
      const position = await this.options.client.append(append, leftMs);
      if (position !== undefined) return { position: positionOf(position), isOurs: true };
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
    // Another's, ours from a sending before, or ours from a try that was stored while this one was answered.
    return this.#standing(append);
  }

  /** Errors: `RevisionConflict` unless all of the append's events stand where they should, under their ids. */
  async #standing(append: SentAppend): Promise<Standing> {
    const standing = await this.options.standing(append);
    const last = standing.at(-1);
    const isWhole = append.events.every(({ id }, index) => standing[index]?.id === id);
    if (!isWhole || last === undefined) throw conflictOf(append);
    return { position: last.position, isOurs: append.eventIds.at(-1) === last.eventId };
  }
}

function conflictOf({ stream, expectedRevision }: StreamAppend): RevisionConflict {
  return new RevisionConflict(stream, expectedRevision);
}

function outcomeOf(error: unknown, { storedAppends }: Progress): unknown {
  if (!(error instanceof GaveUp)) return error;
  if (storedAppends > 0 || error.mayBeStored) return new AppendOutcomeUnknown(error.message);
  return new StoreUnavailable(error.message);
}
