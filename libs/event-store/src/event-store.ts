/** The expected revision of a stream that does not exist yet. The first event of a stream has revision 0. */
export const NO_STREAM = -1;

/** The position before the first event of the store. */
export const START = 0;

/** An event to append. `id` is a UUID chosen by the writer: a retry of the same step uses the same id. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  /** JSON object. */
  readonly data: object;
  /** Id of the process that the event belongs to, and of the command or event that led to it: for readers of EventStoreDB. */
  readonly correlationId?: string;
  readonly causationId?: string;
}

/** Events for one stream. They are stored only if the newest revision of the stream is `expectedRevision`. */
export interface StreamAppend {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly events: readonly NewEvent[];
  /**
   * Whether this append and the one before it in the unit may be stored in either order. An adapter that cannot store a unit
   * atomically may store them at the same time, so that either may be stored without the other. Consecutive concurrent
   * appends and the one before them are to different streams.
   */
  readonly isConcurrent?: boolean;
}

/**
 * Appends that belong together. The order matters: an adapter that cannot store a unit atomically may store a prefix, and
 * of the appends after it that are concurrent any subset.
 */
export type AppendUnit = readonly StreamAppend[];

/** A stored event. `position` orders all events of the store and is a safe integer greater than `START`. */
export interface StoredEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly data: object;
  readonly position: number;
}

export interface AppendResult {
  /** Position of the last event of the unit: a reader at or after this position has seen the whole unit. */
  readonly position: number;
}

export interface ReadOptions {
  readonly direction: 'forwards' | 'backwards';
  /** First revision to read; absent: the first or last revision of the stream, by direction. */
  readonly fromRevision?: number;
  readonly limit: number;
}

export interface SubscribeOptions {
  /** Only events of streams whose names start with one of these prefixes. */
  readonly streamPrefixes: readonly string[];
  /** Position of the last processed event: the subscription starts after it. */
  readonly after: number;
  /** Most events in a batch. */
  readonly batchSize: number;
  /**
   * Receives every event after `after`, in order, one batch at a time. The next batch follows when the promise resolves;
   * when it rejects, the same batch is delivered again after a pause. `upTo` is the position that the subscription has
   * reached with this batch, including events of other streams.
   */
  readonly handle: (events: readonly StoredEvent[], upTo: number) => Promise<void>;
  /**
   * While only events of other streams arrive, the handler receives an empty batch after this time, so that it can store
   * its position and does not have to read those events again. Absent: never.
   */
  readonly progressAfterMs?: number;
  /** Called after each rejection of `handle` and each failed read. */
  readonly onError: (error: unknown) => void;
}

export interface Subscription {
  /** Resolves when the current batch is processed; no further batch is delivered. */
  stop(): Promise<void>;
}

/** An event store. Every adapter passes the contract suites in `*.contract.fixture.ts`. */
export interface EventStore {
  /**
   * Stores a unit. Appending the same unit again (same ids at the same revisions) succeeds and writes nothing.
   * Errors: `RevisionConflict` if a stream has another revision, or if a part of the unit is stored already (nothing else
   * is stored; an adapter without atomic units may store a part), `StoreUnavailable` if nothing was stored,
   * `AppendOutcomeUnknown` if the result is unknown, or if only a part could be stored.
   * A writer may build on units that are still in the queue: when one of them is not stored, the units that build on it
   * are conflicts, too. The writer must discard that state in its rejection handlers, before it awaits anything else.
   */
  append(unit: AppendUnit): Promise<AppendResult>;
  /** Returns events of one stream; empty if the stream does not exist. */
  readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]>;
  /** Returns the position of the newest event of the store; `START` if the store is empty. */
  newestPosition(): Promise<number>;
  /** Subscribes to the events after a position, including those that other processes append. */
  subscribe(options: SubscribeOptions): Subscription;
  /** Processes the queue, stops all subscriptions, and closes all connections. */
  close(): Promise<void>;
}

/** The stream is not at the revision that the writer expected: the writer must load it and decide again. */
export class RevisionConflict extends Error {
  constructor(
    readonly stream: string,
    readonly expectedRevision: number,
  ) {
    super(`Stream ${stream} is not at revision ${expectedRevision}`);
    this.name = 'RevisionConflict';
  }
}

/** The store is unavailable or its queue is full; nothing was stored. */
export class StoreUnavailable extends Error {
  constructor(reason: string) {
    super(`The event store is unavailable: ${reason}`);
    this.name = 'StoreUnavailable';
  }
}

/** The append was sent but got no response: it may be stored or not. */
export class AppendOutcomeUnknown extends Error {
  constructor(reason: string) {
    super(`The outcome of an append is unknown: ${reason}`);
    this.name = 'AppendOutcomeUnknown';
  }
}
