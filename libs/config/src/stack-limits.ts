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
  /** After one has gone the next one stays this long: the others share out what it had, each at its next heartbeat. */
  shareOutMs: 1_000,
  /** How often an instance that is ready is asked whether it still is. */
  readyPollMs: 250,
  /** How often one that is not is asked whether it is. */
  startPollMs: 50,
  /** Longest wait for its answer. */
  readyAnswerMs: 1_000,
  /** A process whose health port has answered nothing for so long is stuck: it is killed and started again. */
  silenceMs: 15_000,
  /** An instance that starts is ready by then, or the start has failed. */
  readyWaitMs: 60_000,
  /** First pause before what died is started again; it doubles with each death that follows soon. */
  restartPauseMinMs: 100,
  /** The pause grows no further. */
  restartPauseMaxMs: 5_000,
  /** A process that has run for so long has served, and restarts after the first pause when it dies. */
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
