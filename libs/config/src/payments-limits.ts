/** `LIMITS.payments`: bounds on the work of payments-service. */
export const PAYMENTS_LIMITS = Object.freeze({
  /** A response waits this long for the read models; then it is sent, because the events are stored. */
  readModelWaitMs: 2_000,
  /** Where reads wait for the read models instead of responses: once these are behind for longer, responses wait, too. */
  readsWaitWithinMs: 100,
  /** A projection saves the position of events that it skips this often, so that it does not read them again. */
  checkpointAfterMs: 10_000,
  /** Payments that the projector reads at once; commands read from the same log. */
  projectorReads: 3,
  /** Tries of one append against conflicts. */
  appendTries: 8,
  /** Pause between two rounds of the worker. */
  workerTickMs: 1_000,
  /** The handler may finish a payment for this long; then the worker does. */
  unfinishedAfterMs: 2_000,
  /** Due rows that one round takes. */
  workerRows: 500,
  /** Pages of due rows, including those of other instances, that one round reads to find its own. */
  workerPages: 10,
  /** Payments that one round processes at once. */
  workerConcurrency: 16,
  /** Rounds between two sweeps that look for the owners of held pays. */
  claimSweepTicks: 10,
  /** Held pays that one sweep reads; the next sweep continues after them. */
  heldPerSweep: 5_000,
  /** Newly verified addresses that may wait until their held pays are settled; the sweep finds the pays of further ones. */
  verifiedAddressesWaiting: 10_000,
  /** Newly verified addresses that are processed at once. */
  verifiedAddressesPerBatch: 500,
  /** Held pays of newly verified addresses that are settled at once. */
  claimConcurrency: 4,
  /** Payments that may wait for the steps of another wallet's owner. */
  waitingForOwners: 1_000,
  /** Longest such wait; then the response contains what is stored. */
  ownerWaitMs: 1_500,
  /** Steps requested by other instances that may wait: all that eleven other instances can request. */
  waitingOwnerRequests: 11_000,
  /** Payments for which commands have begun to ask the provider; for further ones the worker asks. */
  fundingWaits: 64,
  /** Payments for which the worker asks the provider in one round, beside its other work. */
  fundingRows: 500,
  /** Payments for which the worker asks the provider at once. */
  fundingConcurrency: 32,
  /** Rounds of calls to the provider for one payment; the calls of a round are made at once. */
  fundingRounds: 4,
  /** Calls to the provider that one round makes for one payment. */
  fundingCallsAtOnce: 8,
  /** Charges of a user's source that a provider declines within 24 hours, or has not decided; then there are no more. */
  declinedChargesPerDay: 5,
  /** Sources that one user may begin to add within 24 hours. */
  sourcesBegunPerDay: 20,
  /** Sources of one user that are shown, the newest. */
  sourcesShown: 20,
  /** Keys of authors' notes and addresses kept in memory; the least recently used goes first. */
  dataKeysKept: 100_000,
  /** How long each is kept: a destroyed key is gone everywhere after this time. */
  dataKeyKeptMs: 60_000,
  /** Decrypted notes and addresses kept in memory, as long as keys at most. */
  plainTextsKept: 1_000,
  /** While encryption has not begun, the database is asked this often at most whether it has. */
  encryptionAskedEveryMs: 5_000,
  /** Wallets kept in memory; the least recently used goes first. */
  walletsKept: 100_000,
  /** Steps of payments in wallets that are kept for repeated requests; older ones are read from the store. */
  stepsRemembered: 100_000,
  /** Unfinished payments that the projector keeps in memory; it reads the others. */
  openPaymentsKept: 10_000,
  /** Pause between two checks for users whose status the event log may lack. */
  userStatusPollMs: 1_000,
  /** Queued users that one round takes, and how many events are stored at once. */
  userStatusRows: 200,
  userStatusConcurrency: 16,
  /** Users kept in memory, including ids that belong to no user. */
  usersKept: 100_000,
  /** Users, pairs or addresses that one query reads. */
  usersPerQuery: 500,
  /** Addresses whose owner, or lack of one, is kept in memory. */
  addressOwnersKept: 100_000,
  /** Pairs of users kept in memory. */
  pairsKept: 1_000_000,
  /** Users, wallets and addresses whose last change is remembered, to know which kept responses are current. */
  changesKept: 100_000,
  /** Pages of payments kept in memory while nothing on them changes; the least recently used goes first. */
  pagesKept: 10_000,
  /** Their estimated size together: 64 MiB. */
  pageBytesKept: 67_108_864,
  /** Balances kept in memory. */
  balancesKept: 100_000,
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
  /** A check whether the user replica is complete waits this long for it. */
  userReplicaWaitMs: 30_000,
  /** Pause between two such checks. */
  userReplicaPollMs: 500,
  /** A request to confirm a change of a user waits this long; then the change takes effect shortly. */
  usersKnownWaitMs: 2_000,
  /** While one waits, the user replica is checked this often. */
  usersKnownPollMs: 20,
  /** Most requests that wait for the user replica at once; a further change is not confirmed. */
  usersKnownWaiting: 200,
  /** Connections of lease, listener and publisher, in addition to one for each projection. */
  besideProjections: 3,
  /** Connections of the sandbox's commands, queries and worker. */
  sandboxConnections: 4,
  /** Connections of the sandbox's lease and listener, in addition to one for each projection. */
  besideSandboxProjections: 2,
  /** Pause between two batches of a read model for which no response waits: its rows are written once per batch. */
  sumsGatherMs: 250,
  /** Rows that one statement removes before a read model is computed again. */
  rowsPerRemoval: 10_000,
  /** While a response waits, an instance that does not project checks at this interval how far the read models are. */
  progressPollMs: 50,
  /** The same once the read models have been behind for longer than responses wait. */
  stalledPollMs: 500,
  /** Interval at which a position that responses wait for is kept, to measure how far behind the read models are. */
  lagMarkEveryMs: 100,
  /** Positions that are kept, for one minute; beyond them the oldest ones count. */
  lagMarksKept: 600,
  /** Responses that were sent before the read models had caught up are logged at most this often. */
  lateLineEveryMs: 1_000,
});
