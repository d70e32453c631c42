/** `LIMITS.eventStoreDb`: bounds on the client of EventStoreDB. */
export const EVENTSTOREDB_LIMITS = Object.freeze({
  /** Appends that are sent and not answered; the client library is known to be sound up to here. */
  appendsInFlight: 64,
  /** Their bytes: beyond them the client library holds what it cannot send, and a lost connection ends the process. */
  bytesInFlight: 1_048_576,
  /** Largest append, names included: the server takes 1 MiB of data. */
  bytesPerAppend: 1_000_000,
  /** Events of the waiting units of one stream that are sent as one append. */
  eventsPerGroup: 500,
  /** Longest wait of an event for others of units of this process, so that they are projected together. */
  gatherMs: 5,
  /** Longest wait for one response; then the request is repeated over a new connection. */
  answerMs: 1_500,
  /** An append with less time left is not sent: a client whose call is given up is retired, and its other calls fail. */
  sendAtLeastMs: 200,
  /** From the first try of a read to giving up on it. */
  readGiveUpMs: 3_000,
  /** Failures one after the other, until a new client takes the place of the old. */
  failuresUntilNewClient: 3,
  /** A retired client has this long to finish its calls. */
  disposeWaitMs: 1_000,
  /** Longest wait until the server has begun a subscription. */
  confirmMs: 5_000,
  /** Events of a subscription that may wait in memory: with few, the server ends it whenever it lags a little. */
  eventsAhead: 5_000,
  /**
   * Most of the newest events that are in memory for all subscriptions of a process, at least half as many; a subscription
   * that is further behind reads the log.
   */
  feedEvents: 10_000,
  /** Events that are read from the end of the log to start with, those of other streams included. */
  feedStartEvents: 100,
  /** The server reports a subscription's progress every so many windows of 32 events. */
  windowsPerCheckpoint: 128,
});

/** `LIMITS.kafka`: bounds on the client of Apache Kafka. */
export const KAFKA_LIMITS = Object.freeze({
  /** A rebalance is noticed by the next heartbeat, so this bounds how long it delays responses. */
  heartbeatEveryMs: 500,
  /** A rebalance waits this long for each member. */
  rebalanceTimeoutMs: 10_000,
  /** A fetch without records returns after this time, half a heartbeat, so that a reader can leave soon. */
  maxFetchWaitMs: 250,
  /** Bytes of one partition that one fetch brings. */
  bytesPerPartition: 262_144,
  /** Finished offsets are committed this often. */
  commitEveryMs: 500,
  /** A refusal of a command waits this long for the commit of its offset, so that no later owner begins it. */
  refusalCommitWaitMs: 1_500,
  /** A request that was sent so long after the clock of its reader is not begun. */
  clockToleranceMs: 2_000,
  /** First pause before a broker is tried again; it grows. */
  retryPauseMinMs: 50,
  /** The pause grows no further. */
  retryPauseMaxMs: 250,
  /** Longest attempt to connect to a broker. */
  connectTimeoutMs: 3_000,
  /** Longest wait for the response of a broker. */
  requestTimeoutMs: 10_000,
  /** An idle connection is probed after this. */
  keepAliveMs: 60_000,
  /** Longest wait for an access token for the brokers. */
  tokenWaitMs: 5_000,
  /** Records that one sending carries. */
  recordsPerBatch: 500,
  /** Bytes of the values of one sending, unless the records that belong together are larger. */
  bytesPerBatch: 524_288,
  /** Largest payload. */
  bytesPerRecord: 917_504,
  /** Largest batch that the topics accept: a dead letter adds headers to its record. */
  bytesPerBrokerRecord: 2_097_152,
  /** Once so many records of one topic wait to be sent, further ones are refused. */
  recordsWaiting: 8_192,
  /** A batch that no broker accepts fails after this time, which is longer than any caller waits. */
  sendGiveUpMs: 12_000,
  /** It also fails after this many attempts, with 11 s of pauses: the topic has no leader. */
  sendRetries: 45,
  /** Interval of the checks whether the cluster still has the topics of this process. */
  topicsCheckedEveryMs: 5_000,
  /** Once it has lost them, the work before the end of the process is waited for this long. */
  lossListenersWaitMs: 5_000,
  /** Longest wait at the start for the first connection to a broker. */
  firstConnectionWaitMs: 15_000,
  /** Longest wait at the start for the cluster to create topics and elect leaders. */
  startWaitMs: 30_000,
  /** Leaving a group or closing connections waits this long for the broker. */
  disconnectWaitMs: 2_000,
});

/** `LIMITS.postgres`: bounds on connections to PostgreSQL, and on the embedded server. */
export const POSTGRES_LIMITS = Object.freeze({
  /** Longest wait for a connection of a pool. */
  connectTimeoutMs: 5_000,
  /** Longest statement of a migration, and longest wait for another instance's. */
  migrationTimeoutMs: 1_800_000,
  /** A migration whose process is silent for this long between two statements is ended, and the next one runs. */
  migrationSilenceMs: 10_000,
  /** Longest wait for a table whose owner changes, and so of its users behind it: below `deadlock_timeout`. */
  ownershipLockMs: 500,
  /** Pause before the next try. */
  ownershipPauseMs: 1_000,
  /** Longest statement outside migrations. */
  statementTimeoutMs: 10_000,
  /** Readiness waits this long for a new connection, and as long for its answer. */
  readyConnectMs: 900,
  /** While it is ready, it opens one this often: each costs the server a process and both sides the check of a password. */
  readyConnectEveryMs: 4_000,
  /** A process is not ready for so long after a request met a failure of the database. */
  failureShownMs: 5_000,
  /** The same failure of a database is logged again after so long. */
  failureLoggedEveryMs: 10_000,
  /** A connection that is unused for this long is closed. */
  idleConnectionMs: 60_000,
  /** A transaction that does nothing for this long is ended: it holds locks. */
  idleInTransactionMs: 30_000,
  /** Connections of one service's TypeORM. */
  dataSourceConnections: 4,
  /** A lease ends this long after its last renewal, and another instance takes over. */
  leaseMs: 1_500,
  /** Its holder renews it, and the other instances try to acquire it, this often. */
  leaseRenewEveryMs: 300,
  /** Longest wait for the response to either. */
  leaseAnswerMs: 1_000,
  /** First pause before a lost connection that listens is opened again; it doubles up to the second. */
  listenRetryPauseMinMs: 50,
  listenRetryPauseMaxMs: 2_000,
  /** Interval of the checks of such a connection. */
  listenCheckEveryMs: 5_000,
  /** Interval of the checks whether the embedded server still runs. */
  watchEveryMs: 1_000,
  /** Longest start of the embedded server: recovery after a kill takes longest. */
  startTimeoutMs: 60_000,
  /** Longest stop of the embedded server before a fast shutdown is requested. */
  stopTimeoutMs: 4_000,
});
