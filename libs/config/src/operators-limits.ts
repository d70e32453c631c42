/** `LIMITS.operators`: bounds on the commands that an operator runs beside the services. */
export const OPERATORS_LIMITS = Object.freeze({
  /** Connections of such a command. */
  poolConnections: 4,
  /** Longest statement of one: it reads whole tables. */
  statementMs: 300_000,
  /** Keys of notes that one statement wraps anew. */
  keysPerRewrap: 1_000,
  /** A transaction that reads as of one moment may wait this long between two statements. */
  idleInTransactionMs: 60_000,
  /** A command gives up on a log that delivers nothing for this long and has not reached its end. */
  silenceMs: 10_000,
  /** Interval of progress lines. */
  progressEveryMs: 1_000,
  /** A rebuild or a verification has caught up with the live read models once one round takes at most this long. */
  nearMs: 500,
  /** Longest wait of the live projector for a rebuild to take over at its position. */
  takeOverMs: 500,
  /**
   * While payments are written faster than a rebuild reads them, the live projector waits for it for so long, again and
   * again: below `readModelWaitMs`, so that responses are later and still show what is stored.
   */
  holdMs: 1_500,
  /** Pause between two such waits, in which the live projector and the responses go on. */
  holdPauseMs: 500,
  /** A rebuild gives up after as many such waits in a row that have not brought it nearer than before. */
  holdsInVain: 10,
  /** Longest wait of a cutover for readers of the tables, and so of other readers for it. */
  switchLockMs: 300,
  /** Attempts of a cutover, and the pause between two. */
  switchTries: 20,
  switchPauseMs: 1_000,
  /** A comparison of two tables reads as of one moment for so long, then as of the next. */
  comparedPartMs: 500,
  /** Rows of each side that a comparison of two tables holds at once. */
  rowsPerFetch: 1_000,
  /** Waiting events are counted up to here. */
  waitingCounted: 10_000,
  /** If no further event comes for this long, there is none. */
  quietMs: 1_000,
  /** Longest time of counting them: while payments are made, further ones arrive. */
  countMs: 3_000,
  /** Times that a rebuild or a verification catches up with the read models while it gets nearer each time. */
  catchUps: 10,
  /** Payments that a verification compares at once. */
  verifyBatch: 1_000,
  /** Wallets that a verification keeps in memory; it reads the newest line of the others from the journal. */
  walletsHeld: 500_000,
  /** Published events of which a verification keeps the digests in memory. */
  recordsHeld: 500_000,
  /** Longest wait for the running product to finish a deposit or withdrawal, and the interval of looks at it. */
  outcomeWaitMs: 15_000,
  outcomePollMs: 250,
  /** Rows of one kind that the list of waiting money prints. */
  waitingListed: 100,
  /** Differences of one kind that a reconciliation prints; a report has all. */
  differencesListed: 20,
  /** Rows of a statement that a reconciliation holds at once. */
  statementRows: 1_000,
  /** Longest line of a statement. */
  statementLineBytes: 1_000,
  /** A booking this close to the edge of a statement may stand in the neighboring one. */
  statementEdgeUs: 3_600_000_000,
  /** Longest wait for an answer of a schema registry. */
  registryWaitMs: 10_000,
  /** Longest reason and bank reference that an operator can give, in characters. */
  reasonCharacters: 500,
  referenceCharacters: 140,
  /** Largest amount that an operator can book. */
  bookedCents: 100_000_000_000,
});
