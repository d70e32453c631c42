/** Part of `LIMITS.auth`: bounds on the page about money from and to the outside. */
export const FUNDING_PAGE_LIMITS = Object.freeze({
  /** A deposit or withdrawal that has not begun by then is dropped: its page no longer waits for it. */
  fundingBeginMs: 2_500,
  /** Longest wait for what the page about money shows: after `usersWaitMs` it is still below what the gateway waits. */
  fundingReadMs: 1_500,
  /** Lines of what happened to a user's money on one page. */
  fundingItemsShown: 20,
  /** A user enters a card or account at the provider within this time: 15 minutes. */
  sourceRequestMs: 900_000,
  /** Cards and accounts that one session enters at once; a further one ends the oldest. */
  sourceRequestsPerSession: 5,
  /** No payout for this long after a password reset or a new e-mail address: 24 hours. */
  payoutWaitMs: 86_400_000,
});
