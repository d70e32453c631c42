import type { PaymentAction } from '@settle/contracts';
import type { PaymentFacts } from './payment.js';

/** Opening balance of every sandbox wallet, from which balances with the test user are calculated. */
export const SANDBOX_OPENING_CENTS = 10_00;

export type ScriptedOutcome = 'settled' | 'failed' | 'pending';

/** Outcomes of payments with the sandbox's test user, by action and cents: the table of the interface's document. */
const OUTCOMES: Readonly<Record<PaymentAction, Readonly<Record<number, ScriptedOutcome>>>> = {
  pay: { 10: 'settled', 20: 'failed', 30: 'pending' },
  charge: { 10: 'settled', 20: 'pending' },
};

type Asked = Pick<PaymentFacts, 'action' | 'amountCents'>;

/** Returns the initial state of a payment with the test user; null if the table has no such amount. */
export function scriptedOutcome({ action, amountCents }: Asked): ScriptedOutcome | null {
  return OUTCOMES[action][amountCents] ?? null;
}

/** Returns the whole table, for documents. */
export function scriptedOutcomes(): (Asked & { readonly outcome: ScriptedOutcome })[] {
  const actions = Object.keys(OUTCOMES) as PaymentAction[];
  return actions.flatMap((action) =>
    Object.entries(OUTCOMES[action]).map(([cents, outcome]) => ({ action, amountCents: Number(cents), outcome })),
  );
}

/**
 * Returns the balance in the response to its creation, in cents: calculated from the opening balance, whatever came
 * before.
 */
export function scriptedBalanceCents({ action, amountCents }: Asked): number {
  const outcome = scriptedOutcome({ action, amountCents });
  if (action === 'charge') return SANDBOX_OPENING_CENTS + (outcome === 'settled' ? amountCents : 0);
  return SANDBOX_OPENING_CENTS - (outcome === 'settled' || outcome === 'pending' ? amountCents : 0);
}
