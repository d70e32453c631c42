import { newestSecret } from '@settle/config';
import {
  EventStoreDBClient,
  streamNameFilter,
  type AllStreamRecordedEvent,
  type AllStreamSubscription,
  type RecordedEvent,
} from '@eventstore/db-client';
import {
  withTimeout,
  isPermanentError,
  isMissingStream,
  ResponseTimeout,
  describeError,
} from './eventstoredb-errors.js';
import { START, StoreUnavailable, type ReadOptions, type StoredEvent, type StreamAppend } from './event-store.js';
import type { EventStoreDbLimits } from './limits.js';
import { toLogPosition, toPosition } from './log-position.js';

/** What a subscription asks of the server. */
export interface ServerSubscribeOptions {
  readonly after: number;
  readonly streamPrefixes: readonly string[];
}

/** What a subscription brings, beside checkpoints. */
export interface SubscribedEvent {
  readonly event?: AllStreamRecordedEvent;
}

/** Stands among the events of a subscription where the server said how far it has looked. */
export class Checkpoint {
  constructor(readonly position: number) {}
}

/** An event that stands where an append claims its place. */
export interface ExistingEvent {
  readonly id: string;
  /** What the server knows it by. */
  readonly eventId: string;
  readonly position: number;
}

/** A recorded event in the port's words; its writer's id stands in its metadata. */
export function toStoredEvent(event: RecordedEvent | AllStreamRecordedEvent): StoredEvent {
  const { streamId: stream, type } = event;
  const data = event.data as object;
  const { id = event.id } = (event.metadata ?? {}) as { id?: string };
  return { id, stream, revision: Number(event.revision), type, data, position: toPosition(event.position) };
}

/** Where the newest event of the server stands. */
export interface NewestEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
}

/** Reads and follows. Nothing is appended over it, so that giving up a read disturbs no append. */
export class ReadingClient {
  #client: EventStoreDBClient;
  #consecutiveFailures = 0;
  #isClosed = false;

  constructor(
    private readonly url: string,
    private readonly limits: EventStoreDbLimits,
  ) {
    this.#client = EventStoreDBClient.connectionString(url);
  }

  /** Events of one stream; empty when there is none. Errors: `StoreUnavailable` after `readGiveUpMs`. */
  async readStream(stream: string, { direction, fromRevision, limit }: ReadOptions): Promise<StoredEvent[]> {
    const from = fromRevision === undefined ? (direction === 'forwards' ? 'start' : 'end') : BigInt(fromRevision);
    const events = await this.#read((client) =>
      client.readStream(stream, { direction, fromRevision: from, maxCount: limit }),
    );
    return events.map(toStoredEvent);
  }

  /** What stands at the revisions that an append claims, as far as there is something. Errors as `readStream`. */
  async readExisting({
    stream,
    expectedRevision,
    events: { length: maxCount },
  }: StreamAppend): Promise<ExistingEvent[]> {
    const fromRevision = BigInt(expectedRevision + 1);
    const events = await this.#read((client) => client.readStream(stream, { fromRevision, maxCount }));
    return events.map((event) => ({ ...toStoredEvent(event), eventId: event.id }));
  }

  /** The newest event of the whole server; null when there is none. Errors as `readStream`. */
  async readNewest(): Promise<NewestEvent | null> {
    const [event] = await this.#read((client) => client.readAll({ direction: 'backwards', maxCount: 1 }));
    if (event === undefined) return null;
    return { stream: event.streamId, revision: Number(event.revision), position: toPosition(event.position) };
  }

  /**
   * A running subscription, from which each `FollowedEvent` and `Checkpoint` is read in the server's order; whoever asks
   * for it must listen to `error` at once, and unsubscribe.
   */
  subscribe({ after, streamPrefixes }: ServerSubscribeOptions): AllStreamSubscription {
    const { windowsPerCheckpoint, eventsAhead } = this.limits;
    // The client calls this ahead of the events that wait to be read, so that the checkpoint must wait behind them. What
    // rejects here would stop the subscription for good, in silence.
    const checkpointReached = async (subscription: AllStreamSubscription, { commit }: { commit: bigint }) => {
      const position = Number(commit);
      if (Number.isSafeInteger(position)) subscription.push(new Checkpoint(position));
    };
    return this.#client.subscribeToAll(
      {
        fromPosition: after === START ? 'start' : toLogPosition(after),
        filter: streamNameFilter({
          prefixes: [...streamPrefixes],
          checkpointInterval: windowsPerCheckpoint,
          checkpointReached,
        }),
      },
      { highWaterMark: eventsAhead },
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await withTimeout(this.#client.dispose(), this.limits.disposeWaitMs).catch(() => undefined);
  }

  async #read(ask: (client: EventStoreDBClient) => EventSource): Promise<RecordedEvent[]> {
    const giveUpAtMs = performance.now() + this.limits.readGiveUpMs;
    for (
      let pauseMs = this.limits.retryPauseMinMs;
      ;
      pauseMs = Math.min(pauseMs * 2, this.limits.reconnectPauseMaxMs)
    ) {
      if (this.#isClosed) throw new StoreUnavailable('it is closed');
      const client = this.#client;
      try {
        const events = await this.#readOnce(ask(client), giveUpAtMs);
        this.#consecutiveFailures = 0;
        return events;
      } catch (error) {
        if (isMissingStream(error)) return [];
        this.#recordFailure(client, error);
        if (isPermanentError(error) || performance.now() + pauseMs >= giveUpAtMs)
          throw new StoreUnavailable(describeError(error));
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  /** To its end, always: a read that is broken off keeps its place on the connection. */
  async #readOnce(source: EventSource, giveUpAtMs: number): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    // What it says after it was given up concerns nobody, and would end the process if nobody listened.
    source.on('error', () => undefined);
    const toTheEnd = async () => {
      for await (const { event } of source) if (event !== undefined) events.push(event);
      return events;
    };
    try {
      return await withTimeout(toTheEnd(), Math.min(this.limits.answerMs, giveUpAtMs - performance.now()));
    } catch (error) {
      if (error instanceof ResponseTimeout) {
        void source.cancel().catch(() => undefined);
        source.destroy();
      }
      throw error;
    }
  }

  /** The old client's subscriptions go on until they fail by themselves; with its last call its connection ends. */
  #recordFailure(client: EventStoreDBClient, error: unknown): void {
    if (client !== this.#client) return;
    this.#consecutiveFailures += 1;
    if (!(error instanceof ResponseTimeout) && this.#consecutiveFailures < this.limits.failuresUntilNewClient) return;
    this.#client = EventStoreDBClient.connectionString(newestSecret(this.url));
    this.#consecutiveFailures = 0;
  }
}

/** What the client gives for a read. */
interface EventSource extends AsyncIterable<{ readonly event?: RecordedEvent }> {
  cancel(): Promise<void>;
  destroy(): unknown;
  on(event: 'error', listener: () => void): unknown;
}
