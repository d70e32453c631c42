/** `LIMITS.payments`: bounds on the work of payments-service. */
export const PAYMENTS_LIMITS = Object.freeze({
  /** An answer waits this long for the read models; then it is sent, the money being safe. */
  readModelWaitMs: 2_000,
  /** Events of others that pass a projection are noted in its checkpoint this often: it will not look at them again. */
  checkpointAfterMs: 10_000,
  /** Payments that the projector reads at once; commands read from the same log. */
  projectorReads: 3,
  /** Tries of one append against conflicts. */
  appendTries: 8,
  /** Pause between two rounds of the worker. */
  workerTickMs: 1_000,
  /** Unfinished steps are the handler's own for this long, then the worker's. */
  unfinishedAfterMs: 2_000,
  /** Due rows that one round takes. */
  workerRows: 500,
  /** Pages of due rows, others' rows among them, that one round looks through for its own. */
  workerPages: 10,
  /** Payments that one round works on at once. */
  workerLanes: 16,
  /** Rounds between two sweeps that look for the owners of held pays. */
  claimSweepTicks: 10,
  /** Held pays that one sweep looks at; the next goes on from there. */
  heldPerSweep: 5_000,
  /** New proofs that may wait for a look at what is held for their addresses; the sweep finds the others'. */
  proofsWaiting: 10_000,
  /** New proofs that one look takes. */
  proofsPerLook: 500,
  /** Payments that such a look settles at once. */
  proofLanes: 4,
  /** Payments that may wait for the steps of another wallet's owner. */
  waitingForOwners: 1_000,
  /** Longest such wait; then the answer says what is stored. */
  ownerWaitMs: 1_500,
  /** Steps that others ask for and that may wait for their turn: all that eleven other instances can ask for. */
  askedByOwners: 11_000,
  /** Wallets kept in memory; the least recently used goes first. */
  walletsKept: 100_000,
  /** Payments' steps in wallets that are remembered for others who ask; of older ones only the store knows. */
  stepsRemembered: 100_000,
  /** Payments with steps left that the projector keeps; the others it reads. */
  openPaymentsKept: 10_000,
  /** People kept in memory, and people who are none. */
  usersKept: 100_000,
  /** People, pairs or addresses that one query looks up. */
  peoplePerQuery: 500,
  /** Addresses whose owner, or lack of one, is kept in memory. */
  addressOwnersKept: 100_000,
  /** Pairs of people kept in memory, those of all people together. */
  pairsKept: 1_000_000,
  /** Users whose activity is kept in memory for their limits. */
  usersLimited: 50_000,
  /** Payments within a day, of each status and action, whose payees are read at a user's first command. */
  payeeRowsAtFirst: 500,
  /** And once it matters which payees are new: of a user with more payments within a day, the newest count. */
  payeeRowsAtMost: 100_000,
  /** Longest wait, after a start and after users have moved, for the end of the log. */
  logEndWaitMs: 1_000,
  /** A command whose outcome is unknown is stored within this time, or never. */
  unknownOutcomeMs: 10_000,
  /** The value of `Retry-After` for a user who has too much pending, or has paid too much. */
  limitRetrySeconds: 60,
  /** An `Idempotency-Key` is remembered this long. */
  keysKeptMs: 86_400_000,
  /** Tries of one request for its key against others that come and go under it. */
  keyTries: 3,
  /** Rounds of the worker between two sweeps of old keys. */
  keySweepTicks: 10,
  /** Old keys that one statement removes. */
  keysPerDelete: 1_000,
  /** Connections of commands, queries and the worker. */
  poolConnections: 6,
  /** A look whether the copy of the people is complete waits this long for it. */
  peopleWaitMs: 30_000,
  /** Pause between two such looks. */
  peoplePauseMs: 500,
  /** Longest wait of those who ask whether a change of people is known; then it takes effect shortly. */
  usersKnownWaitMs: 2_000,
  /** While they wait, the copy of the people is looked at this often. */
  usersKnownPollMs: 20,
  /** Most requests that wait for the user replica at once; a further change is not confirmed. */
  usersKnownWaiting: 200,
  /** Connections beside that of each projection which must not wait behind those: of lease, listener and publisher. */
  besideProjections: 3,
  /** Connections of the sandbox's commands, queries and worker. */
  sandboxConnections: 4,
  /** Connections of the sandbox beside that of each projection: of lease and listener. */
  besideSandboxProjections: 2,
  /** Pause between two batches of a read model for which no response waits: its rows are written once per batch. */
  sumsGatherMs: 250,
  /** Rows that one statement removes before a read model is computed again. */
  rowsPerRemoval: 10_000,
  /** While a response waits, an instance that does not project checks at this interval how far the read models are. */
  progressPollMs: 50,
  /** And this often once the read models have been behind for longer than answers wait. */
  stalledPollMs: 500,
  /** One position in so long is noted of those that answers wait for, to know how far behind the read models are. */
  lagMarkEveryMs: 100,
  /** Positions noted at most: a minute of them; beyond it the oldest count. */
  lagMarksKept: 600,
  /** Answers that were sent before the read models showed them are logged at most this often. */
  lateLineEveryMs: 1_000,
});
