/** Every bound of the event store. */
export const EVENT_STORE_LIMITS = Object.freeze({
  /** Units that may wait to be stored; one more is refused. */
  unitsWaiting: 4_096,
  /** Units that one statement carries. */
  unitsPerBatch: 512,
  /** Bytes of one statement, unless a single unit is larger. */
  bytesPerBatch: 1_048_576,
  /** Largest unit. */
  bytesPerUnit: 4_194_304,
  /** From the first sending of a unit to giving up on it, reconnections included. */
  appendGiveUpMs: 4_000,
  /** Longest wait for other writers, and longest statement, of the connection that appends. */
  appendStatementMs: 3_000,
  /** Longest wait for one connection attempt. */
  connectTimeoutMs: 2_000,
  /** First pause between two connection attempts; it doubles up to the second. */
  reconnectPauseMinMs: 20,
  reconnectPauseMaxMs: 500,
  /** Streams whose newest revision is remembered. */
  knownStreams: 100_000,
  /** Connections that read. */
  readConnections: 4,
  /** Events in memory that may wait for one subscription; beyond them it reads the log. */
  eventsWaiting: 20_000,
  /** How often an idle subscription looks for events of other processes. */
  pollMs: 250,
  /** First pause after a handler or a read failed; it doubles up to the second. */
  retryPauseMinMs: 20,
  retryPauseMaxMs: 2_000,
  /** Tries of one command against conflicts. */
  commandTries: 8,
  /** Longest pause between two tries; the first is at most an eighth of it. */
  commandPauseMaxMs: 40,
});

export type EventStoreLimits = { readonly [Name in keyof typeof EVENT_STORE_LIMITS]: number };
