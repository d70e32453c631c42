import { EVENTSTOREDB_LIMITS, KAFKA_LIMITS, POSTGRES_LIMITS } from './client-limits.js';
import { OPERATORS_LIMITS } from './operators-limits.js';
import { PAYMENTS_LIMITS } from './payments-limits.js';
import { PROCESS_LIMITS } from './process-limits.js';
import { STACK_LIMITS } from './stack-limits.js';

/**
 * Every bound of the system that is no setting, by the room it bounds. Names carry the unit; a count says of what.
 */
export const LIMITS = Object.freeze({
  gateway: Object.freeze({
    /** Longest wait for a command: a little over `commandGiveUpMs`, so that the service's own answer arrives. */
    commandWaitMs: 6_000,
    /** Longest wait for a query: it changes nothing, so giving up early is safe. */
    queryWaitMs: 3_000,
    /** A command that has not begun by then is dropped: nobody waits for it any more. */
    commandBeginMs: 5_000,
    /** A command answers by then, whatever it has reached, so that the caller learns the payment's id. */
    commandGiveUpMs: 5_800,
    /** Largest body: far above any payment, far below what hurts. */
    bodyBytes: 65_536,
    /** Longest URL. */
    urlBytes: 8_192,
    /** Largest headers. */
    headersBytes: 16_384,
    /** Deepest nesting of a JSON body. */
    jsonDepthLevels: 16,
    /** Fields of a form or query, keys of a JSON body: far more than any request has. */
    parametersCount: 256,
    /** Tokens, and addresses, whose requests are counted; beyond them the longest unseen are forgotten. */
    callersCounted: 100_000,
    /** Headers that take longer belong to a stalled or hostile client. */
    headersTimeoutMs: 5_000,
    /** So does a whole request that takes longer. */
    requestTimeoutMs: 10_000,
    /** An idle connection is kept this long, longer than proxies in front keep theirs. */
    keepAliveMs: 65_000,
    /** What `Retry-After` says beside 503: long enough for a queue to drain. */
    retryAfterSeconds: 1,
    /** A kept answer of a token check is asked for again after this. */
    tokenKeptMs: 30_000,
    /** Kept answers of token checks; the oldest goes first. */
    tokensKept: 50_000,
    /** Kept answers count only while the list of revocations is at most this old. */
    heartbeatTrustMs: 800,
    /** Connections to the pages of auth-service. */
    pageConnections: 256,
    /** Longest wait for a page of auth-service. */
    pageWaitMs: 5_000,
    /** What is left of the connections when draining is over is cut after this. */
    closeWaitMs: 500,
  }),
  auth: Object.freeze({
    /** Pause between two heartbeats on `auth.revocations`: three fit into `heartbeatTrustMs`. */
    heartbeatEveryMs: 250,
    /** Whoever revokes waits this long for the instance that publishes, a takeover included. */
    revocationWaitMs: 3_000,
    /** Life of a token of the client-side flow: 30 minutes. */
    clientTokenMs: 1_800_000,
    /** Life of an access token of the server-side flow: 60 days. */
    serverTokenMs: 5_184_000_000,
    /** A refresh token that nobody used for so long is over: 120 days, twice the life of the access token beside it. */
    refreshTokenMs: 10_368_000_000,
    /** An app has so long to redeem a code: it is on its way through a browser. */
    authorizationCodeMs: 60_000,
    /** Longest wait for another service's part of an answer. */
    askWaitMs: 3_000,
    /** Life of a session of the pages: 12 hours. */
    sessionMs: 43_200_000,
    /** A session that nobody used for so long is over: 30 minutes. */
    sessionIdleMs: 1_800_000,
    /** A browser in which somebody has signed in is known to be theirs for a year. */
    browserKnownMs: 31_536_000_000,
    /** Life of a code that proves an address or resets a password: 10 minutes. */
    codeMs: 600_000,
    /** Whoever signs up has so long to prove the e-mail address, with more than one code if need be: an hour. */
    signUpMs: 3_600_000,
    /** Wrong codes that are taken before a new one must be asked for. */
    codeTries: 5,
    /** Wrong codes for one address within 24 hours, over all codes; then its codes are longer until these are over. */
    wrongCodesPerDay: 30,
    /** Messages that may wait to be sent; one more is refused. */
    messagesWaiting: 200,
    /** Messages that are sent at once. */
    messagesInProgress: 4,
    /** Longest wait for a mail server or the web hook. */
    messageWaitMs: 10_000,
    /** Times that a message is tried. */
    messageTries: 3,
    /** Pause between two of them. */
    messagePauseMs: 1_000,
    /** Messages that the mailbox page shows. */
    mailboxMessages: 50,
    /** Longest wait for users-service, below what the gateway waits for a page. */
    usersWaitMs: 3_000,
    /** How often it is looked for people whom users-service has not confirmed. */
    newPeopleEveryMs: 1_000,
    /** New people that are told of at once. */
    newPeopleCount: 20,
    /** Passwords hashed at once, and no more than there are cores: each takes one, and tens of MiB. */
    hashesInProgress: 4,
    /** Hashes that may wait; one more is refused. */
    hashesWaiting: 20,
    /** Of those, for sign-ins in a browser that is not known: guesses leave the others to owners. */
    strangersWaiting: 12,
    /** Passwords that are compared for one network, right ones too, before each next one waits. */
    hashesPerCaller: 600,
    /** Connections to the database. */
    poolConnections: 4,
  }),
  users: Object.freeze({
    /** Longest wait for payments to know of a change; then whoever asked for it is told that it takes effect shortly. */
    confirmWaitMs: 2_000,
    /** Connections to the database. */
    poolConnections: 4,
    /** Proven addresses of one person. */
    addressesPerPerson: 10,
    /** People whom one person asks to become a friend and who have not answered. */
    friendRequestsPerPerson: 100,
    /** People of one list on the page of friends. */
    friendsShown: 200,
  }),
  payments: PAYMENTS_LIMITS,
  operators: OPERATORS_LIMITS,
  publishing: Object.freeze({
    /** Payments that began before a batch and are read for it at once. */
    streamReads: 4,
    /** Pause after a batch, in which the next one grows. */
    pauseMs: 10,
    /** Stopping leaves the batch in hand this long; what is not published by then is left to the next publisher. */
    stopWaitMs: 2_000,
    /** An event that waits longer to be published is told of in the log. */
    lateAfterMs: 10_000,
    /** How often it is looked for one. */
    lateLookEveryMs: 10_000,
  }),
  eventStore: Object.freeze({
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
    /** How often it looks while others append. */
    busyPollMs: 5,
    /** Others count as appending for so long after they were last known to: two of the pauses below. */
    busyForMs: 100,
    /** Pause between two hints to other processes that there are events; a hint costs the database a transaction. */
    hintPauseMs: 50,
    /** Connections, beside those that read, for saying and hearing hints. */
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
    /** Streams of which no more events than this are asked for are read together. */
    shortStreamEvents: 10,
    /** Streams that are read together. */
    streamsPerRead: 100,
  }),
  messaging: Object.freeze({
    /** Requests of one topic that are worked on at once: the gateway's 256, and as many between services. */
    requestsInProgress: 512,
    /** Requests of one topic that may wait; one more is refused. */
    requestsWaiting: 1_024,
    /** Events that one call of a follower carries. */
    eventsPerBatch: 500,
    /** Events that may wait for one follower; publishing one more is refused. */
    eventsWaiting: 10_000,
    /** First pause before a follower is given the same events again; it doubles. */
    retryPauseMinMs: 20,
    /** The pause grows no further. */
    retryPauseMaxMs: 2_000,
    /** Closing waits this long for what is in progress. */
    closeWaitMs: 10_000,
  }),
  eventStoreDb: EVENTSTOREDB_LIMITS,
  kafka: KAFKA_LIMITS,
  stack: STACK_LIMITS,
  outbox: Object.freeze({
    /** Rows that are published side by side, each key's one after the other. */
    rowsPerBatch: 200,
    /** A commit wakes the publisher; this often it looks anyway, and others try to take its place. */
    pollMs: 1_000,
    /** Pause after a first failure; it doubles. */
    retryPauseMinMs: 50,
    /** The pause grows no further. */
    retryPauseMaxMs: 5_000,
    /** Whoever waits until a record is out looks this often where another instance publishes. */
    waiterPollMs: 50,
    /** Stopping leaves a running batch this long; what is not taken by then goes out at the next start. */
    stopWaitMs: 2_000,
    /** A service waits this long at its start for the others to take what was left from before. */
    catchUpWaitMs: 10_000,
    /** Announcing everybody anew waits this long for each batch. */
    batchWaitMs: 30_000,
  }),
  observability: Object.freeze({
    /** Spans that may wait to be sent; beyond them new ones are dropped. */
    spansWaiting: 4_096,
    /** Spans that one request to the collector carries. */
    spansPerBatch: 512,
    /** How often waiting spans are sent. */
    sendSpansEveryMs: 1_000,
    /** Longest such request, and longest wait for the last one at the end. */
    sendSpansWaitMs: 2_000,
    /** Log lines are written once there are this many bytes of them: a write a line costs more than the line. */
    gatherBytes: 4_096,
    /** Fewer bytes wait no longer than this. */
    flushEveryMs: 100,
    /** Log lines that may wait for a slow reader: 16 MiB; later ones are lost rather than held in memory. */
    bufferBytes: 16_777_216,
  }),
  postgres: POSTGRES_LIMITS,
  ...PROCESS_LIMITS,
});
