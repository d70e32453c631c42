import {
  SANDBOX_TEST_USER,
  SettleError,
  isSandboxTestUser,
  type CreatePayment,
  type PaymentTarget,
} from '@settle/contracts';
import { scriptedOutcome, type EventTarget, type PaymentFacts } from '@settle/payments-domain';

/** Error: `sandbox_amount_unknown` for a payment with the sandbox's test user whose amount has no outcome. */
export function refuseUnknownAmount(command: CreatePayment): void {
  if (command.environment !== 'sandbox' || !isSandboxTestUser(command.target)) return;
  if (scriptedOutcome(command) !== null) return;
  throw new SettleError(
    'sandbox_amount_unknown',
    'The test user has no outcome for this amount: pay 0.10, 0.20 or 0.30, or charge 0.10 or 0.20.',
  );
}

/**
 * Returns the terms of a payment with the test user: no fee, and a pending pay looks like one to an unverified address.
 */
export function scriptedTerms(command: CreatePayment): Pick<PaymentFacts, 'mode' | 'target' | 'feeCents'> {
  const isHeld = command.action === 'pay' && scriptedOutcome(command) === 'pending';
  const target = isHeld ? unregistered(command.target) : registered(command.target);
  return { mode: 'scripted', target, feeCents: 0 };
}

function registered({ type }: PaymentTarget): EventTarget {
  return { type, userId: SANDBOX_TEST_USER.id, address: null };
}

function unregistered({ type, value }: PaymentTarget): EventTarget {
  if (type === 'user') return { type: 'email', userId: null, address: SANDBOX_TEST_USER.email };
  return { type, userId: null, address: value };
}
