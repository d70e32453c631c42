/** `LIMITS.operators`: bounds on the commands that an operator runs beside the services. */
export const OPERATORS_LIMITS = Object.freeze({
  /** Connections of such a command. */
  poolConnections: 4,
  /** Longest statement of one: it reads whole tables. */
  statementMs: 300_000,
  /** A transaction that reads as of one moment may wait this long between two statements. */
  idleInTransactionMs: 60_000,
  /** A command gives up on a log that has said nothing for this long and is not where it should be. */
  silenceMs: 10_000,
  /** Interval of progress lines. */
  progressEveryMs: 1_000,
  /** A rebuild or a verification is beside the live read models once it catches up with them in so little time. */
  nearMs: 500,
  /** Longest wait of the live projector for a rebuild to take over from where it stands. */
  takeOverMs: 500,
  /** Longest wait of a cutover for readers of the tables, and so of other readers for it. */
  switchLockMs: 300,
  /** Tries of a switch, and the pause between two. */
  switchTries: 20,
  switchPauseMs: 1_000,
  /** A comparison of two tables reads as of one moment for so long, then as of the next. */
  comparedPartMs: 500,
  /** Rows of each side that a comparison of two tables holds at once. */
  rowsPerFetch: 1_000,
  /** Waiting events are counted up to here. */
  waitingCounted: 10_000,
  /** No further event in so long: there is none. */
  quietMs: 1_000,
  /** Longest count of them: while payments are made there is always another. */
  countMs: 3_000,
  /** How often a verification goes on to where the read models are by then, before it reads as of one moment. */
  catchUps: 10,
  /** Payments that a verification compares at once. */
  verifyBatch: 1_000,
  /** Published events that a verification holds in digest. */
  recordsHeld: 500_000,
});
