import { normaliseAddress } from '@settle/contracts';
import type { ExistingPayment, PaymentFacts } from '@settle/payments-domain';
import { payeeKey, type Demand } from './user-activity.js';

/** Returns what a new payment adds to its actor's activity; null with the sandbox's test user, which has no limits. */
export function creationDemand({ mode, action, actorId, target, amountCents }: PaymentFacts): Demand | null {
  if (mode === 'scripted') return null;
  const { type, userId, address } = target;
  const payee = type === 'user' || address === null ? userId : payeeKey(userId, type, normaliseAddress(type, address));
  const isRequest = action === 'charge';
  return { userId: actorId, payee, isRequest, spentCents: isRequest ? 0 : amountCents };
}

/** Returns what an approval adds to the approver's activity; null where it moves no money or is refused anyway. */
export function approvalDemand(
  { status, facts }: ExistingPayment,
  { byUserId, targetUserId }: { readonly byUserId: string; readonly targetUserId: string | null },
): Demand | null {
  const { mode, action, amountCents } = facts;
  const isApproval = status === 'pending' && action === 'charge' && byUserId === targetUserId && mode !== 'scripted';
  return isApproval ? { userId: byUserId, payee: null, isRequest: false, spentCents: amountCents } : null;
}
