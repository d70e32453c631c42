import type { PaymentAction } from '@settle/contracts';
import type { PaymentFacts } from './payment.js';

/** What every wallet of the sandbox opens with, and what balances with the test user are reckoned from. */
export const SANDBOX_OPENING_CENTS = 10_00;

export type ScriptedOutcome = 'settled' | 'failed' | 'pending';

/** How payments with the sandbox's test user go, by action and cents: the table of the interface's document. */
const OUTCOMES: Readonly<Record<PaymentAction, Readonly<Record<number, ScriptedOutcome>>>> = {
  pay: { 10: 'settled', 20: 'failed', 30: 'pending' },
  charge: { 10: 'settled', 20: 'pending' },
};

type Asked = Pick<PaymentFacts, 'action' | 'amountCents'>;

/** The state in which a payment with the test user begins; null: the table has no such amount. */
export function scriptedOutcome({ action, amountCents }: Asked): ScriptedOutcome | null {
  return OUTCOMES[action][amountCents] ?? null;
}

/** The whole table, for those who describe it. */
export function scriptedOutcomes(): (Asked & { readonly outcome: ScriptedOutcome })[] {
  const actions = Object.keys(OUTCOMES) as PaymentAction[];
  return actions.flatMap((action) =>
    Object.entries(OUTCOMES[action]).map(([cents, outcome]) => ({ action, amountCents: Number(cents), outcome })),
  );
}

/** What the answer to its creation calls the balance, in cents: reckoned from the opening one, whatever came before. */
export function scriptedBalanceCents({ action, amountCents }: Asked): number {
  const outcome = scriptedOutcome({ action, amountCents });
  if (action === 'charge') return SANDBOX_OPENING_CENTS + (outcome === 'settled' ? amountCents : 0);
  return SANDBOX_OPENING_CENTS - (outcome === 'settled' || outcome === 'pending' ? amountCents : 0);
}
