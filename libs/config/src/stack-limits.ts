/** Bounds of the stack, which runs all services on one machine. */
export const STACK_LIMITS = Object.freeze({
  /** A new connection waits this long for an instance; then it gets 503. */
  connectionWaitMs: 10_000,
  /** The same for the pages of auth-service: well below the gateway's `pageWaitMs`, so that the 503 reaches the client. */
  pageConnectionWaitMs: 2_000,
  /** A connection ends with its first response after this time, so that instances that were added get a part of the load. */
  connectionLifeMs: 15_000,
  /** Random part of that time: connections that were opened together do not end together. */
  connectionLifeSpreadMs: 10_000,
  /** After an instance has stopped the next one stays this long, because the others rebalance at their next heartbeat. */
  rebalanceMs: 1_000,
  /** Interval of the readiness checks of a ready instance. */
  readyPollMs: 250,
  /** The same of an instance that is not ready. */
  startPollMs: 50,
  /** Longest wait for the response to a readiness check. */
  readyAnswerMs: 1_000,
  /** A process whose health port has not responded for this long is stuck: it is killed and restarted. */
  silenceMs: 15_000,
  /** An instance that starts is ready by then, or the start has failed. */
  readyWaitMs: 60_000,
  /** First pause before a process that died is restarted; it doubles with each further early death. */
  restartPauseMinMs: 100,
  /** The pause grows no further. */
  restartPauseMaxMs: 5_000,
  /** A process that has run for this long restarts after the first pause when it dies. */
  soundAfterMs: 3_000,
  /** A process that has not ended this long after SIGTERM is killed. */
  stopWaitMs: 10_000,
  /** Stopping everything takes at most this long. */
  stopAllWaitMs: 30_000,
  /** Instances of one service: as many as there are partitions of commands. */
  instancesAtMost: 12,
  /** Connections that the embedded server takes: those of twelve payments instances fit. */
  databaseConnections: 400,
  /** Largest request to the control port. */
  controlBytes: 4_096,
});
