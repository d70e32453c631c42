/** `LIMITS.eventStore`: bounds of every event store, and of the PostgreSQL one. */
export const EVENT_STORE_LIMITS = Object.freeze({
  /** Units that may wait to be stored; one more is refused. */
  unitsWaiting: 4_096,
  /** A unit that has waited longer for those before it is refused: its writer has been given up by then. */
  unitWaitMs: 2_000,
  /** Units that one statement carries. */
  unitsPerBatch: 512,
  /** Bytes of one statement, unless a single unit is larger. */
  bytesPerBatch: 1_048_576,
  /** Largest unit. */
  bytesPerUnit: 4_194_304,
  /** From the first sending of a unit to giving up on it, reconnections included. */
  appendGiveUpMs: 4_000,
  /** Longest statement of the connection that appends. */
  appendStatementMs: 3_000,
  /** Longest wait for other writers; then a writer that has waited this long for its client is ended. */
  appendLockMs: 2_000,
  /** Time between the two checks of a writer that seems to wait for its client: longer than a retransmission takes. */
  stalledRecheckMs: 250,
  /** TCP keepalive of the server for append connections: idle time, interval and number of probes. */
  keepAliveIdleMs: 2_000,
  keepAliveEveryMs: 1_000,
  keepAliveTries: 3,
  /** The server closes an append connection whose client has acknowledged nothing for this long. */
  unacknowledgedMs: 5_000,
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
  /** An idle subscription checks for events of other processes this often. */
  pollMs: 250,
  /** The same while other processes append. */
  busyPollMs: 5,
  /** Other processes count as appending for this long after their last event: two of the pauses below. */
  busyForMs: 100,
  /** Pause between two notifications of other processes about events; each is a transaction. */
  hintPauseMs: 50,
  /** Connections for sending and receiving notifications, in addition to those that read. */
  hintConnections: 2,
  /** First pause after a handler or a read failed; it doubles up to the second. */
  retryPauseMinMs: 20,
  retryPauseMaxMs: 2_000,
  /** Tries of one command against conflicts. */
  commandTries: 8,
  /** Longest pause between two tries; the first is at most an eighth of it. */
  commandPauseMaxMs: 40,
  /** Events that one read of a stream or a subscription fetches. */
  eventsPerRead: 1_000,
  /** Streams from which at most this many events are requested are read together. */
  shortStreamEvents: 10,
  /** Streams that are read together. */
  streamsPerRead: 100,
});
