import { AppendAborted, type StoredAppend } from './append-outcome.js';
import { computeRevisionAfter } from './append-unit.js';
import { mergeAppends, type PreparedAppend } from './appending-client.js';
import type { EventStoreDbLimits } from './limits.js';

/** An append whose earlier appends of the same unit are stored. */
export interface ReadyAppend {
  readonly append: PreparedAppend;
  /** Whether the unit appends to this stream no more. */
  readonly isLastOfStream: boolean;
  /** Whether the unit was stored by an earlier call: then nothing is sent, and the stored events are compared. */
  readonly isRepeated: boolean;
  /**
   * Checks the append when its turn comes, possibly several times. Returns the time to give up, by `performance.now()`.
   * Throws the error that the append is rejected with.
   */
  readonly begin: () => number;
}

export interface StreamQueuesOptions {
  /** Stores one append. Errors: `RevisionConflict`, `AppendAborted`. */
  readonly store: (append: PreparedAppend, giveUpAtMs: number, isRepeated: boolean) => Promise<StoredAppend>;
  readonly limits: Pick<EventStoreDbLimits, 'answerMs' | 'bytesPerAppend' | 'eventsPerGroup'>;
}

/** A ready append that waits for its turn or is being stored. */
interface Turn extends ReadyAppend, PromiseWithResolvers<StoredAppend> {
  /** A group with it was not stored: it is stored by itself. */
  isAlone: boolean;
}

/** The place of a unit in the queue of a stream. `turn` is null while the unit is not ready or is being stored. */
interface Place {
  turn: Turn | null;
  hasLeft: boolean;
}

/** A turn that has begun. */
interface BegunTurn {
  readonly place: Place;
  readonly turn: Turn;
  readonly giveUpAtMs: number;
}

/** The places of a unit in the queues of its streams. */
export type QueuePlaces = ReturnType<StreamQueues['enqueue']>;

/**
 * One queue per stream. A unit with several streams joins all their queues at once, which prevents deadlocks. Ready appends
 * that stand one behind the other in a queue and continue each other's revisions are sent as one append, which the server
 * stores whole or not at all. When such a group is not stored, each of its appends is sent by itself, in order, so that
 * each unit gets its own outcome; when it is unknown whether the group is
 * stored, the outcome of all its units is unknown.
 */
export class StreamQueues {
  readonly #queues = new Map<string, Place[]>();

  constructor(private readonly options: StreamQueuesOptions) {}

  /** Joins the queues of these streams. Every place must be left in the end. */
  enqueue(streams: readonly string[]) {
    const places = new Map([...new Set(streams)].map((stream) => [stream, this.#join(stream)]));
    const leave = (stream: string) => {
      const place = places.get(stream);
      if (place === undefined || place.hasLeft) return;
      place.hasLeft = true;
      this.#advance(stream);
    };
    return {
      /** Stores an append when all earlier units have left the queue of its stream, or together with theirs. */
      store: (ready: ReadyAppend): Promise<StoredAppend> => {
        const { stream } = ready.append;
        const turn: Turn = { ...ready, ...Promise.withResolvers<StoredAppend>(), isAlone: ready.isRepeated };
        const place = places.get(stream);
        if (place === undefined) throw new TypeError(`The unit has not joined the queue of ${stream}`);
        place.turn = turn;
        this.#advance(stream);
        return turn.promise;
      },
      /** Rejects the appends that have not begun, because another append of the unit has failed. */
      withdraw: (error: unknown) => {
        for (const place of places.values()) {
          place.turn?.reject(error);
          place.turn = null;
        }
      },
      leave,
      leaveAll: () => [...places.keys()].forEach(leave),
    };
  }

  #join(stream: string): Place {
    const place: Place = { turn: null, hasLeft: false };
    const queue = this.#queues.get(stream);
    if (queue === undefined) this.#queues.set(stream, [place]);
    else queue.push(place);
    return place;
  }

  /** Sends what can be sent of a stream. */
  #advance(stream: string): void {
    const queue = this.#queues.get(stream);
    if (queue === undefined) return;
    while (queue[0]?.hasLeft === true) queue.shift();
    if (queue.length === 0) this.#queues.delete(stream);
    const group = this.#beginGroup(queue);
    if (group.length > 0) void this.#store(stream, group);
  }

  /** Begins the turns at the front of a queue that can be stored together. */
  #beginGroup(queue: readonly Place[]): BegunTurn[] {
    const { answerMs, bytesPerAppend, eventsPerGroup } = this.options.limits;
    const group: BegunTurn[] = [];
    let [bytes, events] = [0, 0];
    for (const place of queue) {
      if (place.hasLeft) continue;
      const { turn } = place;
      if (turn === null || !continues(group, turn)) break;
      bytes += turn.append.byteBound;
      events += turn.append.events.length;
      const isTooLarge = bytes > bytesPerAppend || events > eventsPerGroup;
      if (group.length > 0 && isTooLarge) break;
      try {
        const giveUpAtMs = turn.begin();
        // A unit with little time left would take it from those behind it.
        if (isFarFrom(group, giveUpAtMs, answerMs)) break;
        group.push({ place, turn, giveUpAtMs });
      } catch (error) {
        // Those behind it wait until its unit has left, because they may build on it.
        if (group.length > 0) break;
        turn.reject(error);
      }
      place.turn = null;
      if (group.length === 0 || turn.isAlone || !turn.isLastOfStream) break;
    }
    return group;
  }

  /** Stores a group and settles its turns, or makes them wait for a turn of their own. Never rejects. */
  async #store(stream: string, group: readonly BegunTurn[]): Promise<void> {
    const appends = group.map(({ turn }) => turn.append);
    const giveUpAtMs = Math.min(...group.map((begun) => begun.giveUpAtMs));
    const isRepeated = group.some(({ turn }) => turn.isRepeated);
    try {
      const stored = await this.options.store(mergeAppends(appends), giveUpAtMs, isRepeated);
      // Stored by another call: each unit finds out for itself how much of it that call has stored.
      if (group.length > 1 && !stored.isStoredByThisCall) this.#storeAlone(stream, group);
      else for (const { turn } of group) turn.resolve(stored);
    } catch (error) {
      const isUnknown = error instanceof AppendAborted && error.mayBeStored;
      if (group.length > 1 && !isUnknown) this.#storeAlone(stream, group);
      else for (const { turn } of group) turn.reject(error);
    }
  }

  #storeAlone(stream: string, group: readonly BegunTurn[]): void {
    for (const { place, turn } of group) {
      turn.isAlone = true;
      place.turn = turn;
    }
    this.#advance(stream);
  }
}

/** Returns whether a unit gives up much earlier or later than the begun ones. */
function isFarFrom([first]: readonly BegunTurn[], giveUpAtMs: number, byMs: number): boolean {
  return first !== undefined && Math.abs(giveUpAtMs - first.giveUpAtMs) > byMs;
}

/** Returns whether an append can be stored in one append with the begun ones before it. */
function continues(group: readonly BegunTurn[], { append, isAlone }: Turn): boolean {
  const last = group.at(-1);
  return last === undefined || (!isAlone && append.expectedRevision === computeRevisionAfter(last.turn.append));
}
