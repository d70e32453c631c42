import { newestSecret } from '@settle/config';
import {
  EventStoreDBClient,
  streamNameFilter,
  type AllStreamRecordedEvent,
  type AllStreamSubscription,
  type RecordedEvent,
} from '@eventstore/db-client';
import { retry } from '@settle/concurrency';
import { describeError, isMissingStream, isPermanent, ResponseTimeout, awaitResponse } from './eventstoredb-errors.js';
import { START, StoreUnavailable, type ReadOptions, type StoredEvent, type StreamAppend } from './event-store.js';
import type { EventStoreDbLimits } from './limits.js';
import { toLogPosition, toPosition } from './log-position.js';

/** Options of a subscription of the server. */
export interface ServerSubscribeOptions {
  readonly after: number;
  readonly streamPrefixes: readonly string[];
}

/** A message of a subscription other than a checkpoint. */
export interface SubscribedEvent {
  readonly event?: AllStreamRecordedEvent;
}

/** A message of a subscription with the position up to which the server has filtered the log. */
export class Checkpoint {
  constructor(readonly position: number) {}
}

/** An event that is stored at a revision of an append. */
export interface ExistingEvent {
  readonly id: string;
  /** Id of the event on the server. */
  readonly eventId: string;
  readonly position: number;
}

/** Converts an event of the client library; the id of its writer is in the metadata. */
export function toStoredEvent(event: RecordedEvent | AllStreamRecordedEvent): StoredEvent {
  const { streamId: stream, type } = event;
  const data = event.data as object;
  const { id = event.id } = (event.metadata ?? {}) as { id?: string };
  return { id, stream, revision: Number(event.revision), type, data, position: toPosition(event.position) };
}

/** The location of the newest event of the server. */
export interface NewestEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
}

/** The client for reads and subscriptions. It does not append, so that canceling a read does not affect appends. */
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

  /** Returns events of one stream; empty if it does not exist. Error: `StoreUnavailable` after `readGiveUpMs`. */
  async readStream(stream: string, { direction, fromRevision, limit }: ReadOptions): Promise<StoredEvent[]> {
    const from = fromRevision === undefined ? (direction === 'forwards' ? 'start' : 'end') : BigInt(fromRevision);
    const events = await this.#read((client) =>
      client.readStream(stream, { direction, fromRevision: from, maxCount: limit }),
    );
    return events.map(toStoredEvent);
  }

  /** Returns the existing events at the revisions of an append. Error as for `readStream`. */
  async readExisting({ stream, expectedRevision, events: { length } }: StreamAppend): Promise<ExistingEvent[]> {
    const options = { fromRevision: BigInt(expectedRevision + 1), maxCount: length };
    const events = await this.#read((client) => client.readStream(stream, options));
    return events.map((event) => ({ ...toStoredEvent(event), eventId: event.id }));
  }

  /** Returns the newest event of the server; null if there is none. Error as for `readStream`. */
  async readNewest(): Promise<NewestEvent | null> {
    const [event] = await this.#read((client) => client.readAll({ direction: 'backwards', maxCount: 1 }));
    if (event === undefined) return null;
    return { stream: event.streamId, revision: Number(event.revision), position: toPosition(event.position) };
  }

  /**
   * Starts a subscription, a stream of `SubscribedEvent` and `Checkpoint` in the order of the server. The caller must
   * listen to `error` at once, and unsubscribe.
   */
  subscribe({ after, streamPrefixes }: ServerSubscribeOptions): AllStreamSubscription {
    const { windowsPerCheckpoint, eventsAhead } = this.limits;
    // The client library calls this before the buffered events are read, so the checkpoint goes behind them. An error here
    // would silently stop the subscription for good.
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
    await awaitResponse(this.#client.dispose(), this.limits.disposeWaitMs).catch(() => undefined);
  }

  async #read(startRead: (client: EventStoreDBClient) => EventSource): Promise<RecordedEvent[]> {
    const { retryPauseMinMs, reconnectPauseMaxMs, readGiveUpMs } = this.limits;
    const giveUpAtMs = performance.now() + readGiveUpMs;
    const attempt = async () => {
      if (this.#isClosed) throw new StoreUnavailable('the store is closed');
      const client = this.#client;
      try {
        const events = await this.#readOnce(startRead(client), giveUpAtMs);
        this.#consecutiveFailures = 0;
        return events;
      } catch (error) {
        if (isMissingStream(error)) return [];
        this.#recordFailure(client, error);
        throw error;
      }
    };
    const isRetryable = (error: unknown) => !(error instanceof StoreUnavailable || isPermanent(error));
    const limits = { minPauseMs: retryPauseMinMs, maxPauseMs: reconnectPauseMaxMs, giveUpAtMs, isRetryable };
    try {
      return await retry(attempt, limits);
    } catch (error) {
      throw error instanceof StoreUnavailable ? error : new StoreUnavailable(describeError(error));
    }
  }

  /** Reads to the end: a partly consumed read stays open on the connection. */
  async #readOnce(source: EventSource, giveUpAtMs: number): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    // Without a listener, an error after the read was canceled would end the process.
    source.on('error', () => undefined);
    const readAll = async () => {
      for await (const { event } of source) if (event !== undefined) events.push(event);
      return events;
    };
    try {
      return await awaitResponse(readAll(), Math.min(this.limits.answerMs, giveUpAtMs - performance.now()));
    } catch (error) {
      if (error instanceof ResponseTimeout) {
        void source.cancel().catch(() => undefined);
        source.destroy();
      }
      throw error;
    }
  }

  /** Replaces a failing client. Its subscriptions continue until they fail; its connection closes with its last call. */
  #recordFailure(client: EventStoreDBClient, error: unknown): void {
    if (client !== this.#client) return;
    this.#consecutiveFailures += 1;
    if (!(error instanceof ResponseTimeout) && this.#consecutiveFailures < this.limits.failuresUntilNewClient) return;
    this.#client = EventStoreDBClient.connectionString(newestSecret(this.url));
    this.#consecutiveFailures = 0;
  }
}

/** A read of the client library. */
interface EventSource extends AsyncIterable<{ readonly event?: RecordedEvent }> {
  cancel(): Promise<void>;
  destroy(): unknown;
  on(event: 'error', listener: () => void): unknown;
}
