import type { PaymentCreated, PaymentEvent, PaymentMode } from '../src/payment-events.js';
import { NO_PAYMENT, evolvePayment, type ExistingPayment, type PaymentFacts } from '../src/payment.js';
import type { StepContext, Transfer } from '../src/next-step.js';
import type { WalletEvent } from '../src/wallet-events.js';
import { NO_STEPS, evolveSteps, type WalletSteps } from '../src/wallet-steps.js';

export const CREATED_AT_US = 1_000;
export const NOW_US = 5_000;

/** Ann pays or charges Bob 10.00 with a fee of 0.25; a hold and a request go to an address of his. */
export function createdIn(mode: PaymentMode, facts: Partial<PaymentFacts> = {}): PaymentCreated {
  const isCharge = mode === 'request' || mode === 'trusted';
  const address = { type: 'email', userId: null, address: 'bob@example.com' } as const;
  const bob = { type: 'user', userId: 'bob', address: null } as const;
  return {
    type: 'PaymentCreated',
    data: {
      mode,
      action: isCharge ? 'charge' : 'pay',
      actorId: 'ann',
      target: mode === 'hold' || mode === 'request' ? address : bob,
      amountCents: 1000,
      feeCents: 25,
      note: 'for lunch',
      audience: 'private',
      medium: 'api',
      appId: 'app',
      environment: 'live',
      commandId: 'command',
      refundOf: null,
      atUs: CREATED_AT_US,
      ...facts,
    },
  };
}

const END = { refundId: null, targetUserId: null, atUs: 2_000 };
export const ENDS = {
  pending: null,
  settled: { type: 'PaymentSettled', data: { targetUserId: 'bob', atUs: 2_000 } },
  failed: { type: 'PaymentFailed', data: { reason: 'insufficient_funds', atUs: 2_000 } },
  expired: { type: 'PaymentExpired', data: END },
  denied: { type: 'PaymentCancelled', data: { ...END, reason: 'denied' } },
  cancelled: { type: 'PaymentCancelled', data: { ...END, reason: 'cancelled_by_actor' } },
  claimedByPayer: { type: 'PaymentCancelled', data: { ...END, reason: 'claimed_by_payer', targetUserId: 'ann' } },
} satisfies Record<string, PaymentEvent | null>;

/** A payment of that mode, pending or ended so; `refundId` stands in the end where there is one to give back. */
export function paymentIn(
  mode: PaymentMode,
  end: keyof typeof ENDS,
  { refundId = null, facts = {} }: { refundId?: string | null; facts?: Partial<PaymentFacts> } = {},
): ExistingPayment {
  const pending = evolvePayment(NO_PAYMENT, createdIn(mode, facts));
  const event = ENDS[end];
  const ended = event === null ? pending : evolvePayment(pending, event);
  if (ended.status === 'none') throw new Error('A created payment exists');
  return 'refundId' in ended ? { ...ended, refundId } : ended;
}

export type StepName = 'debited' | 'refused' | 'credited' | 'returned' | 'asked' | 'added' | 'declined';

const FACT = { paymentId: 'p', amountCents: 1000, balanceCents: 0, atUs: 2_000 };
const STEP_EVENTS: Readonly<Record<StepName, WalletEvent>> = {
  debited: { type: 'FundsDebited', data: { ...FACT, feeCents: 25 } },
  refused: { type: 'DebitRefused', data: { ...FACT, attempt: 1 } },
  credited: { type: 'FundsCredited', data: FACT },
  returned: { type: 'FundsReturned', data: { ...FACT, feeCents: 25 } },
  asked: { type: 'FundingRequested', data: { ...FACT, amountCents: 1025, attempt: 1, sourceId: 'card' } },
  added: { type: 'FundsAdded', data: { ...FACT, amountCents: 1025, attempt: 1, sourceId: 'card' } },
  declined: { type: 'FundingDeclined', data: { ...FACT, attempt: 1 } },
};

export function stepsOf(...names: readonly StepName[]): WalletSteps {
  return names.map((name) => STEP_EVENTS[name]).reduce(evolveSteps, NO_STEPS);
}

export interface Known<Payment extends Transfer['payment']> extends Transfer {
  readonly payment: Payment;
}

/** A payment called `p` and the steps that are known of it: `{ ann: ['debited'] }`. */
export function transferWith<Payment extends Transfer['payment']>(
  payment: Payment,
  steps: Readonly<Record<string, readonly StepName[]>> = {},
  isRefundWritten = false,
): Known<Payment> {
  const known = new Map(Object.entries(steps).map(([walletId, names]) => [walletId, stepsOf(...names)]));
  return { paymentId: 'p', payment, steps: known, isRefundWritten };
}

/** All users have a card of that name, or none has one. */
export function contextWith(sourceId: string | null): StepContext {
  return { sourceIdOf: () => sourceId, atUs: NOW_US };
}
