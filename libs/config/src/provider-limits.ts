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
  /** Failures of the connection are logged at most this often. */
  failureLineEveryMs: 1_000,
});
