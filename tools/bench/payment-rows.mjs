/**
 * Loads whose payments share more and more streams of the event store. The popular payee is the wallet after those that
 * pay each other.
 */
const WALLETS = 1_000;
const POPULAR_PAYERS = 300;
const CHAINED_WALLETS = 200;
const CHAIN_STEP = 7;

const spread = { mode: 'pay', payers: [0, WALLETS], payees: [0, WALLETS] };
const popular = { mode: 'pay', payers: [0, POPULAR_PAYERS], payees: [WALLETS, WALLETS + 1] };
const chained = { mode: 'pay', payers: [0, CHAINED_WALLETS], payees: [0, CHAINED_WALLETS], payeeOffset: CHAIN_STEP };

export const PAYMENT_ROWS = [
  { name: 'alone', ...spread, inFlight: 1 },
  { name: '64 in flight', ...spread, inFlight: 64 },
  { name: 'one popular payee, 64 in flight', ...popular, inFlight: 64 },
  { name: 'chains of wallets, 64 in flight', ...chained, inFlight: 64 },
];

/** Payments between all wallets with more and more in flight. */
export const SPREAD_ROWS = [16, 64, 256].map((inFlight) => ({ name: `${inFlight} in flight`, ...spread, inFlight }));

export const READ_ROWS = ['/v1/payments', '/v1/me'].map((path) => ({
  ...spread,
  name: `GET ${path}, 64 in flight`,
  mode: 'get',
  path,
  inFlight: 64,
}));

/** The wallets that these rows need. */
export const PAYMENT_ROW_WALLETS = WALLETS + 1;
