/** The expected revision of a stream that must not exist yet. The first event of a stream has revision 0. */
export const NO_STREAM = -1;

/** Before the first event of the whole store. */
export const START = 0;

/** A fact to be stored. `id` is a UUID chosen by the writer: the same step always carries the same id. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  /** Plain JSON. */
  readonly data: object;
}

/** Events for one stream, valid only if the stream's newest revision is `expectedRevision`. */
export interface StreamAppend {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly events: readonly NewEvent[];
}

/** What belongs together. The order matters: an adapter that cannot store a unit whole stores a prefix of it. */
export type AppendUnit = readonly StreamAppend[];

/** A fact that is stored. `position` orders all events of the store and is a safe integer above `START`. */
export interface StoredEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly data: object;
  readonly position: number;
}

export interface AppendResult {
  /** Position of the unit's last event: a reader that has passed it has seen the unit. */
  readonly position: number;
}

export interface ReadOptions {
  readonly direction: 'forwards' | 'backwards';
  /** First revision to read; absent: from the stream's end in that direction. */
  readonly fromRevision?: number;
  readonly limit: number;
}

export interface SubscribeOptions {
  /** Only streams whose names begin with one of these. */
  readonly streamPrefixes: readonly string[];
  /** Where the handler stands: everything up to and including this position is skipped. */
  readonly after: number;
  /** Most events that the handler is given at once. */
  readonly batchSize: number;
  /**
   * Given every event after `after`, in order, one batch at a time; the next batch comes when the promise
   * resolves. When it rejects, the same batch comes again after a pause. `upTo` is the position that the
   * subscription has reached with this batch, events of other streams included.
   */
  readonly handle: (events: readonly StoredEvent[], upTo: number) => Promise<void>;
  /**
   * While only events of other streams come, the handler is given an empty batch after so long, so that it can note how
   * far it has come and need not look through them again. Absent: never.
   */
  readonly tellAfterMs?: number;
  /** Told of each rejection of `handle` and of each failed read. */
  readonly onError: (error: unknown) => void;
}

export interface Subscription {
  /** Resolves when the running batch is done; no batch begins afterwards. */
  stop(): Promise<void>;
}

/** What an event store does. Every adapter passes the suites in `*.contract.fixture.ts`. */
export interface EventStore {
  /**
   * Stores a unit. The same unit again (same ids at the same revisions) succeeds and writes nothing.
   * Errors: `RevisionConflict` when a stream is elsewhere, or a part of the unit stands there already (nothing of the
   * rest is stored, or a prefix by an adapter that says so), `StoreUnavailable` when nothing was stored,
   * `AppendOutcomeUnknown` when nobody knows, or when the rest of a prefix could not be stored.
   * A writer may decide ahead, on what its units in the queue will have written: when one of those is not stored,
   * what builds on it is a conflict too. It must forget that state in the handlers of the rejection, before it
   * waits for anything else.
   */
  append(unit: AppendUnit): Promise<AppendResult>;
  /** Events of one stream; empty when there is no such stream. */
  readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]>;
  /** Returns the position of the newest event of the whole store, whatever its stream; `START` when there is none. */
  newestPosition(): Promise<number>;
  /** Follows the store from a position; also sees what other processes append. */
  subscribe(options: SubscribeOptions): Subscription;
  /** Finishes what is queued, ends every subscription, frees connections. */
  close(): Promise<void>;
}

/** The stream is not at the revision that the writer expected: load it again and decide again. */
export class RevisionConflict extends Error {
  constructor(
    readonly stream: string,
    readonly expectedRevision: number,
  ) {
    super(`Stream ${stream} is not at revision ${expectedRevision}`);
    this.name = 'RevisionConflict';
  }
}

/** The store cannot be reached, or its queue is full; nothing was stored. */
export class StoreUnavailable extends Error {
  constructor(reason: string) {
    super(`The event store is unavailable: ${reason}`);
    this.name = 'StoreUnavailable';
  }
}

/** The append was sent and no answer came: it may be stored or not. */
export class AppendOutcomeUnknown extends Error {
  constructor(reason: string) {
    super(`The outcome of an append is unknown: ${reason}`);
    this.name = 'AppendOutcomeUnknown';
  }
}
