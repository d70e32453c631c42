import { normalizeAddress } from '@settle/contracts';
import type { ExistingPayment, PaymentFacts } from '@settle/payments-domain';
import { payeeKey, type Allowance, type Demand } from './user-activity.js';

/** Amounts a day that owners of wallets have set, positive cents; null: no limit. */
export interface AmountsPerDay {
  /** The amount that the user who sends a command lets its app move. */
  readonly appAmountPerDayCents: number | null;
  /** The amount that the payer of a trusted charge lets its actor charge without approval. */
  readonly trustAmountPerDayCents: number | null;
}

/** Returns what a new payment adds to its actor's activity; null with the sandbox's test user, which has no limits. */
export function creationDemand(facts: PaymentFacts, amounts: AmountsPerDay): Demand | null {
  const { mode, action, actorId, target, amountCents } = facts;
  if (mode === 'scripted') return null;
  const { type, userId, address } = target;
  const payee = type === 'user' || address === null ? userId : payeeKey(userId, type, normalizeAddress(type, address));
  const isRequest = action === 'charge';
  const spentCents = isRequest ? 0 : amountCents;
  return { userId: actorId, payee, isRequest, spentCents, allowance: allowanceOf(facts, amounts) };
}

function allowanceOf(facts: PaymentFacts, amounts: AmountsPerDay): Allowance | null {
  const { mode, action, target, amountCents: cents, appId } = facts;
  if (action === 'pay') return { key: `app:${appId}`, cents, amountPerDayCents: amounts.appAmountPerDayCents };
  if (mode !== 'trusted' || target.userId === null) return null;
  return { key: `payer:${target.userId}`, cents, amountPerDayCents: amounts.trustAmountPerDayCents };
}

/** The user who approves, the app, and the owner of the payment's target, or null if there is none. */
interface Approval {
  readonly byUserId: string;
  readonly targetUserId: string | null;
  readonly appId: string;
}

/**
 * Returns what an approval adds to the approver's activity; null where it moves no money or is refused anyway.
 * @param appAmountPerDayCents what the approver allows the app within a day; null: no limit
 */
export function approvalDemand(
  { status, facts }: ExistingPayment,
  { byUserId, targetUserId, appId }: Approval,
  appAmountPerDayCents: number | null,
): Demand | null {
  const { mode, action, amountCents: cents } = facts;
  const isApproval = status === 'pending' && action === 'charge' && byUserId === targetUserId && mode !== 'scripted';
  if (!isApproval) return null;
  const allowance = { key: `app:${appId}`, cents, amountPerDayCents: appAmountPerDayCents } as const;
  return { userId: byUserId, payee: null, isRequest: false, spentCents: cents, allowance };
}
