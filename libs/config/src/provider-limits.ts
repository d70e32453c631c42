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
  /** Stored callbacks are removed after 30 days, so many with one statement. */
  hintsKeptMs: 2_592_000_000,
  hintsPerDelete: 1_000,
  /** A page on which a user must confirm a charge is stored for 30 days at most; so many old ones go with each new one. */
  pagesKeptMs: 2_592_000_000,
  pagesPerDelete: 100,
  /** Interval at which old callbacks are removed. */
  hintSweepEveryMs: 3_600_000,
});
