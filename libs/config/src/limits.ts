import { EVENTSTOREDB_LIMITS, KAFKA_LIMITS, POSTGRES_LIMITS } from './client-limits.js';
import { EVENT_STORE_LIMITS } from './event-store-limits.js';
import { FUNDING_PAGE_LIMITS } from './funding-page-limits.js';
import { OPERATORS_LIMITS } from './operators-limits.js';
import { PAYMENTS_LIMITS } from './payments-limits.js';
import { PROCESS_LIMITS } from './process-limits.js';
import { PROVIDER_LIMITS } from './provider-limits.js';
import { STACK_LIMITS } from './stack-limits.js';
import { USERS_LIMITS } from './users-limits.js';

/**
 * All bounds of the system that are not settings, by the part of the system. Names include the unit or what is counted.
 */
export const LIMITS = Object.freeze({
  gateway: Object.freeze({
    /** Longest wait for a command: a little over `commandGiveUpMs`, so that the response of the service arrives. */
    commandWaitMs: 6_000,
    /** Longest wait for a query: it changes nothing, so giving up early is safe. */
    queryWaitMs: 3_000,
    /** A command that has not begun by then is dropped: its caller no longer waits for it. */
    commandBeginMs: 5_000,
    /** A command responds by then, whatever it has reached, so that the caller receives the payment's id. */
    commandGiveUpMs: 5_800,
    /** Largest body: far above any payment, far below what hurts. */
    bodyBytes: 65_536,
    /** Longest URL. */
    urlBytes: 8_192,
    /** Largest headers. */
    headersBytes: 16_384,
    /** Most headers of a request: a browser behind several proxies sends about 40. */
    headersCount: 200,
    /** Deepest nesting of a JSON body. */
    jsonDepthLevels: 16,
    /** Fields of a form or query, keys of a JSON body: far more than any request has. */
    parametersCount: 256,
    /** Values of a list in a query: `next` repeats them, and with the cursor and a token it stays below `urlBytes`. */
    listedValues: 100,
    /** Tokens, and addresses, whose requests are counted; beyond them the longest unseen are forgotten. */
    callersCounted: 100_000,
    /** Headers that take longer belong to a stalled or hostile client. */
    headersTimeoutMs: 5_000,
    /** So does a whole request that takes longer. */
    requestTimeoutMs: 10_000,
    /** Connections that may wait to be accepted, if the system allows as many: a flood of them must not crowd out others. */
    connectionsWaiting: 4_096,
    /** A connection whose client reads nothing of the response for this long is closed. */
    responseStallMs: 10_000,
    /** While every request slot is in use, a request of an app with less than half of them waits this long for one. */
    slotWaitMs: 1_000,
    /** Apps whose idle counters are kept; beyond them they are made anew. */
    appsKept: 1_000,
    /** Apps that metrics show by their client id; the requests of all others are counted together. */
    appsMeasured: 100,
    /** Unknown access tokens that are checked at once: as many as auth-service processes at once. */
    tokenChecks: 512,
    /** The part of them for one address. */
    tokenChecksPerAddress: 256,
    /** An idle connection is kept this long, longer than proxies in front keep theirs. */
    keepAliveMs: 65_000,
    /** A connection that ends with a refusal is read for this long, so that the client can still read the refusal. */
    lingerMs: 1_000,
    /** The value of `Retry-After` with 503: long enough for a queue to drain. */
    retryAfterSeconds: 1,
    /** Kept answers of token checks; the oldest goes first. */
    tokensKept: 50_000,
    /** Kept answers count only while the list of revocations is at most this old, `TOKEN_GRACE_SECONDS` apart. */
    heartbeatTrustMs: 800,
    /** After this time without a heartbeat all kept results are dropped; the list on Kafka is kept for much longer. */
    heartbeatSilenceMs: 60_000,
    /** Connections to the pages of auth-service. */
    pageConnections: 256,
    /** Longest wait for a page of auth-service. */
    pageWaitMs: 5_000,
    /** Callbacks of the payment provider that are passed on at once; they take no slots of other requests. */
    callbacksInProgress: 32,
    /** Those that may wait; one more is refused. */
    callbacksWaiting: 256,
    /** Longest wait for a slot, and for payments-service to store a callback. */
    callbackWaitMs: 5_000,
    /** Connections that are still open after draining are closed after this time. */
    closeWaitMs: 500,
  }),
  auth: Object.freeze({
    /** Pause between two heartbeats on `auth.revocations`: three fit into `heartbeatTrustMs`. */
    heartbeatEveryMs: 250,
    /** A revocation waits this long for the publishing instance, a takeover included. */
    revocationWaitMs: 3_000,
    /** Life of a token of the client-side flow: 30 minutes. */
    clientTokenMs: 1_800_000,
    /** Life of an access token of the server-side flow: 60 days. */
    serverTokenMs: 5_184_000_000,
    /** A refresh token that is unused for this long expires: 120 days, twice the life of the access token beside it. */
    refreshTokenMs: 10_368_000_000,
    /** After a refresh the former access token ends within 60 s: a few of them are what gateways take to notice. */
    formerTokenMs: 55_000,
    /** An app must redeem a code within this time: the code passes through a browser. */
    authorizationCodeMs: 60_000,
    /** Longest wait for the part of a response that comes from another service. */
    requestTimeoutMs: 3_000,
    /** Life of a session of the pages: 12 hours. */
    sessionMs: 43_200_000,
    /** A session that is unused for this long ends: 30 minutes. */
    sessionIdleMs: 1_800_000,
    /** Open consent pages of one session; a further one ends the oldest. */
    consentPagesPerSession: 20,
    /** Redirect addresses of plain http that are on file work for so long after they are no longer allowed: 90 days. */
    httpRedirectsMs: 7_776_000_000,
    /** A password entered longer ago than this must be entered again before a dangerous change: 5 minutes. */
    passwordAgainAfterMs: 300_000,
    /** A browser in which a user has signed in is a trusted device for a year. */
    trustedDeviceMs: 31_536_000_000,
    /** Lifetime of a code that verifies an address or resets a password: 10 minutes. */
    codeMs: 600_000,
    /** Time to verify the e-mail address of a sign-up, with more than one code if needed: an hour. */
    signUpMs: 3_600_000,
    /** Wrong codes that are taken before a new one must be asked for. */
    codeTries: 5,
    /** Wrong codes for one address within 24 hours, over all codes; then its codes are longer until these are over. */
    wrongCodesPerDay: 30,
    /** Codes requested within 24 hours: to one address, for one account, and in total by each way. */
    codesPerDay: Object.freeze({ address: 100, account: 100, email: 50_000, phone: 5_000 }),
    /** Messages of one kind that may wait to be sent; one more is refused. */
    messagesWaiting: 200,
    /** Messages of one kind that are sent at once. */
    messagesInProgress: 4,
    /** Longest wait for a mail server or the web hook. */
    messageWaitMs: 10_000,
    /** Times that a message is tried. */
    messageTries: 3,
    /** Pause between two of them. */
    messagePauseMs: 1_000,
    /** How often notices that are due are looked for. */
    noticesEveryMs: 1_000,
    /** Pause before a notice that was not sent is tried again, longer than `messageWaitMs`; it doubles. */
    noticeRetryMs: 15_000,
    /** The pause grows no further. */
    longestNoticeRetryMs: 900_000,
    /** Messages that the mailbox page shows. */
    mailboxMessages: 50,
    /** Longest wait for users-service, below what the gateway waits for a page. */
    usersWaitMs: 3_000,
    /** Interval of the checks for new users whom users-service has not confirmed. */
    newUsersEveryMs: 1_000,
    /** Most new users that are announced at once. */
    newUsersCount: 20,
    /** Addresses from before spellings were stored whose spelling is requested at once. */
    spellingsCount: 20,
    /** Pause before spellings are requested again after a failure. */
    spellingsRetryMs: 1_000,
    /** Passwords hashed at once, and at least one core is left for other requests: each takes a core and 19 MiB. */
    hashesInProgress: 4,
    /** Hashes that may wait; one more is refused. */
    hashesWaiting: 20,
    /** The part of them for sign-ins in an untrusted browser: guesses leave the others to account owners. */
    untrustedHashesWaiting: 12,
    /** Longest wait for a hash to begin, well below the gateway's `pageWaitMs`; then the request is refused. */
    hashWaitMs: 2_500,
    /** First tries at an account within a quarter of an hour that guesses from elsewhere do not delay. */
    firstSignIns: 3,
    /** Passwords that are compared for one network, right ones too, before each next one waits. */
    hashesPerCaller: 600,
    /** Connections to the database. */
    poolConnections: 4,
    ...FUNDING_PAGE_LIMITS,
  }),
  users: USERS_LIMITS,
  payments: PAYMENTS_LIMITS,
  provider: PROVIDER_LIMITS,
  operators: OPERATORS_LIMITS,
  publishing: Object.freeze({
    /** Payments that began before a batch and are read for it at once. */
    streamReads: 4,
    /** Records of one key that are sent in one batch, so that all of them are stored or none. */
    recordsTogether: 100,
    /** Pause after a batch, in which the next one grows. */
    pauseMs: 100,
    /** A publisher that reads older events than this is behind, and does not pause. */
    behindAfterMs: 1_000,
    /**
     * Time for the batch in progress when publishing stops; the next publisher repeats what is not published by then.
     */
    stopWaitMs: 2_000,
    /** An event that waits longer to be published is logged. */
    lateAfterMs: 10_000,
    /** Interval of the checks for one. */
    lateCheckEveryMs: 10_000,
    /** Interval of the records that say how far the public topics are filled. */
    watermarkEveryMs: 1_000,
  }),
  eventStore: EVENT_STORE_LIMITS,
  messaging: Object.freeze({
    /** Requests of one topic that are processed at once: the gateway's 256, and as many between services. */
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
    /** A commit wakes the publisher; this often it checks anyway, and other instances try to take over. */
    pollMs: 1_000,
    /** Pause after a first failure; it doubles. */
    retryPauseMinMs: 50,
    /** The pause grows no further. */
    retryPauseMaxMs: 5_000,
    /** Interval at which a waiting request checks whether another instance has published a record. */
    waiterPollMs: 50,
    /** Longest wait for the database to read a batch or to delete what is published. */
    answerMs: 5_000,
    /** Stopping waits this long for a running batch; the remaining records are published at the next start. */
    stopWaitMs: 2_000,
    /** A service waits this long at its start until the records of its previous run are published. */
    catchUpWaitMs: 10_000,
    /** Longest wait for each batch when all users are announced again. */
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
