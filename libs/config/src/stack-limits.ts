/** Bounds of the stack, which runs all services on one machine. */
export const STACK_LIMITS = Object.freeze({
  /** Requests that an instance behind a front may have; one more goes to another, or is refused. */
  requestsPerInstance: 512,
  /** Beyond them an instance takes so many more from addresses that have few: one caller does not take all places. */
  requestsKeptForFew: 128,
  /** An address with fewer requests in progress has few. */
  fewRequests: 64,
  /** Answers of an instance whose clients do not read on; beyond them the one that has stood longest is cut off. */
  answersPaused: 128,
  /** Longest wait for a connection to an instance of this machine. */
  connectWaitMs: 1_000,
  /** Longest silence of an instance that has a request: commands and pages answer well before. */
  answerWaitMs: 12_000,
  /** After one has gone the next one stays this long: the others share out what it had, each at its next heartbeat. */
  shareOutMs: 1_000,
  /** An instance that leaves is given this long for the requests that it has. */
  drainWaitMs: 7_000,
  /** How often an instance that is ready is asked whether it still is. */
  readyPollMs: 250,
  /** How often one that is not is asked whether it is. */
  startPollMs: 50,
  /** Longest wait for its answer. */
  readyAnswerMs: 1_000,
  /** An instance that starts is ready by then, or the start has failed. */
  readyWaitMs: 60_000,
  /** First pause before what died is started again; it doubles with each death that follows soon. */
  restartPauseMinMs: 100,
  /** The pause grows no further. */
  restartPauseMaxMs: 5_000,
  /** What has run for so long had served, and starts at the first pause when it dies. */
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
