import type { PaymentPlan, Scenario } from './scenario.fixture.js';

/** Nothing but Ann's payments in these modes, from her source. */
export const only = (...modes: PaymentPlan['mode'][]): Partial<Scenario> => ({
  payments: modes.map((mode, at) => ({ id: `p${at + 1}`, mode, payer: 'ann', payee: 'bob' })),
  deposits: [],
  withdrawals: [],
  balances: { ann: 0, bob: 0, cyd: 0 },
  hasSource: true,
  declines: 0.2,
  actions: 0.9,
});
export const DEPOSIT: Partial<Scenario> = { ...only(), deposits: [{ id: 'd1', user: 'ann' }] };
export const WITHDRAWAL: Partial<Scenario> = {
  ...only(),
  withdrawals: [{ id: 'w1', user: 'ann' }],
  balances: { ann: 10, bob: 0, cyd: 0 },
  staleness: 0.3,
};
/** Requests arrive late at a provider whose clock is behind. */
export const LATE_REQUESTS: Partial<Scenario> = {
  ...only('transfer', 'hold'),
  ...{ pace: 0.02, jumps: 0.1, losses: 0, staleness: 0, crashes: 0, callbacks: 0, skewUs: -25_000_000 },
};
export const CONTRADICTIONS: Partial<Scenario> = { declines: 0.6, contradicts: 0.6 };
