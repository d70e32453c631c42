import { newestSecret } from '@settle/config';
import {
  EventStoreDBClient,
  streamNameFilter,
  type AllStreamRecordedEvent,
  type AllStreamSubscription,
  type Position,
  type RecordedEvent,
  type StreamingRead,
} from '@eventstore/db-client';
import { retry } from '@settle/concurrency';
import { describeError, isMissingStream, isPermanent, ResponseTimeout, awaitResponse } from './eventstoredb-errors.js';
import {
  START,
  StoreUnavailable,
  type ReadOptions,
  type StoredEvent,
  type StreamAppend,
  type SubscribeOptions,
} from './event-store.js';
import type { EventStoreDbLimits } from './limits.js';

/** A message of a subscription other than a checkpoint. */
export interface SubscribedEvent {
  readonly event?: AllStreamRecordedEvent;
}

/** A message of a subscription with a position up to which all events have arrived. */
export class Checkpoint {
  constructor(readonly position: number) {}
}

/** An event that is stored at a revision of an append. */
export interface ExistingEvent extends Pick<StoredEvent, 'id' | 'position'> {
  /** Id of the event on the server. */
  readonly eventId: string;
}

/**
 * Another node of a cluster may be behind: it would not show what was acknowledged, and a missing event means that nothing was
 * stored, or that the log went back.
 */
const OF_LEADER = { requiresLeader: true } as const;

/** Converts an event of the client library; the id of its writer is in the metadata. */
export function toStoredEvent(event: RecordedEvent | AllStreamRecordedEvent): StoredEvent {
  const { streamId: stream, type } = event;
  const data = event.data as object;
  const { id = event.id } = (event.metadata ?? {}) as { id?: string };
  return { id, stream, revision: Number(event.revision), type, data, position: toPosition(event.position) };
}

/**
 * Returns the position of an event in the log, in bytes from its start: exact up to a log of 9 petabytes.
 * Error: the position is missing. Servers before 23.10 return none for events that are read from a stream.
 */
export function toPosition(position: Position | undefined): number {
  const commit = Number(position?.commit ?? -1n);
  if (Number.isSafeInteger(commit) && commit >= 0) return commit;
  throw new Error('EventStoreDB 23.10 or newer is needed: this server returns no event positions. Upgrade the server');
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
      client.readStream(stream, { ...OF_LEADER, direction, fromRevision: from, maxCount: limit }),
    );
    return events.map(toStoredEvent);
  }

  /** Returns the existing events at the revisions of an append. Error as for `readStream`. */
  async readExisting({ stream, expectedRevision, events: { length } }: StreamAppend): Promise<ExistingEvent[]> {
    const options = { ...OF_LEADER, fromRevision: BigInt(expectedRevision + 1), maxCount: length };
    const events = await this.#read((client) => client.readStream(stream, options));
    return events.map((event) => ({ ...toStoredEvent(event), eventId: event.id }));
  }

  /** Returns at most `limit` events from the end of the log, the newest first. Error as for `readStream`. */
  async readNewest(limit: number): Promise<StoredEvent[]> {
    const events = await this.#read((client) =>
      client.readAll({ ...OF_LEADER, direction: 'backwards', maxCount: limit }),
    );
    return events.map(toStoredEvent);
  }

  /**
   * Starts a subscription, a stream of `SubscribedEvent` and `Checkpoint` in the order of the server. The caller must
   * listen to `error` at once, and unsubscribe.
   */
  subscribe({ after, streamPrefixes }: Pick<SubscribeOptions, 'after' | 'streamPrefixes'>): AllStreamSubscription {
    const { windowsPerCheckpoint, eventsAhead } = this.limits;
    // The client library calls this before the buffered events are read, so the checkpoint goes behind them. An error here
    // would silently stop the subscription for good. One checkpoint is not enough: servers have sent the position of an
    // event that had not arrived yet, at the end of the log (KurrentDB 25.0.0, issue 4970) and on going live (before pull
    // request 4023). All events before the newest checkpoint have arrived, so the one before it is a safe position.
    let newest = START;
    const checkpointReached = async (subscription: AllStreamSubscription, { commit }: Position) => {
      const position = Number(commit);
      if (!Number.isSafeInteger(position) || position <= newest) return;
      subscription.push(new Checkpoint(newest));
      newest = position;
    };
    return this.#client.subscribeToAll(
      {
        fromPosition: after === START ? 'start' : { commit: BigInt(after), prepare: BigInt(after) },
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
    const { retryPauseMinMs, reconnectPauseMaxMs, readGiveUpMs, answerMs } = this.limits;
    const giveUpAtMs = performance.now() + readGiveUpMs;
    let cause: unknown = null;
    const attempt = async () => {
      if (this.#isClosed) throw new StoreUnavailable('the store is closed');
      const client = this.#client;
      const isCutShort = performance.now() + answerMs > giveUpAtMs;
      try {
        const events = await this.#readOnce(startRead(client), giveUpAtMs);
        this.#consecutiveFailures = 0;
        return events;
      } catch (error) {
        if (isMissingStream(error)) return [];
        this.#recordFailure(client, error);
        // The last attempt has little time left: that it got no response in it says less than what failed before.
        if (cause === null || !isCutShort || !(error instanceof ResponseTimeout)) cause = error;
        throw cause;
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
type EventSource = StreamingRead<{ readonly event?: RecordedEvent }>;
