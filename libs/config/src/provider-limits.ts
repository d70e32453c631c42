/** `LIMITS.provider`: bounds on what is exchanged with the payment provider. */
export const PROVIDER_LIMITS = Object.freeze({
  /** Longest wait for a connection, TLS included. */
  connectMs: 2_000,
  /** Longest request in all: the wait for a slot, the connection, and the last byte of the answer. */
  totalMs: 10_000,
  /** Charges, repayments and payouts that are requested at once. */
  moneySlots: 64,
  /** Those that may wait for a slot; one more is answered as unknown. */
  moneyWaiting: 256,
  /** Other requests at once, such as for changes and sources. Charges that hang do not delay them. */
  otherSlots: 8,
  otherWaiting: 64,
  /** Failures of the connection, and forged callbacks, are logged at most this often. */
  lineEveryMs: 1_000,
  /** Connections of gateways that bring callbacks. */
  callbackConnections: 256,
  /** Longest time in which a gateway sends a callback. */
  callbackRequestMs: 5_000,
  /** Stored callbacks are removed after 90 days, so many with one statement. */
  hintsKeptMs: 7_776_000_000,
  hintsPerDelete: 1_000,
  /** A page on which a user must confirm a charge is stored for 30 days at most; so many old ones go with each new one. */
  pagesKeptMs: 2_592_000_000,
  pagesPerDelete: 100,
  /** Longest wait for auth-service to queue an e-mail, such as that about a page to confirm. */
  notifyWaitMs: 5_000,
  /** Interval at which e-mails about money that came back are requested, and how many in one round and at once. */
  noticeEveryMs: 5_000,
  noticeRows: 100,
  noticeConcurrency: 8,
  /** A line of the journal waits so long: the next one of its append may be projected after it. */
  noticeAfterMs: 5_000,
  /** No user is notified of older lines. A rebuild of the journal requests the e-mails of this time again, which are sent once. */
  noticeWithinMs: 604_800_000,
  /** Interval at which old callbacks are removed. */
  hintSweepEveryMs: 3_600_000,
  /** Pause after a first attempt to learn what the provider is; it doubles up to the longest one. */
  checkRetryMinMs: 500,
  checkRetryMaxMs: 30_000,
  /** The start of the service waits this long for the first answer, and after it this long for the end of the changes. */
  startWaitMs: 250,
  /** Interval at which an instance checks whether the list of changes was read to its end, until it was. */
  readPollMs: 50,
  /** That the provider is not known yet is logged at most this often. */
  silentLineEveryMs: 60_000,
  /** Interval at which the list of changes is read. */
  changesEveryMs: 60_000,
  /** Pause after a first failure to apply changes; it doubles up to the longest one. */
  changesRetryMinMs: 1_000,
  changesRetryMaxMs: 60_000,
  /** Pages of changes that are read before the reader checks whether it is still to read. */
  changePages: 1_000,
  /** Changes of one page that are applied at once. */
  changeConcurrency: 4,
  /** Failures after which a change is listed for operators and holds the others no longer. */
  changeTries: 10,
  /** Decisions about one change in one try, most of which need one or two. */
  changeSteps: 10,
  /** Pause between two of them; it doubles up to the longest one. */
  changePauseMinMs: 25,
  changePauseMaxMs: 500,
  /** Stored callbacks that are applied in one batch. */
  hintsPerBatch: 100,
});
