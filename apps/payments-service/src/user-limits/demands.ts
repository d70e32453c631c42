import { normalizeAddress } from '@settle/contracts';
import type { ExistingPayment, PaymentFacts } from '@settle/payments-domain';
import type { Demand, Use } from './user-activity.js';

/** Amounts a day that owners of wallets have set, positive cents; null: no limit. */
interface AmountsPerDay {
  /** The amount that the user who sends a command lets its app move. */
  readonly appAmountPerDayCents: number | null;
  /** The amount that the payer of a trusted charge lets its actor charge without approval. */
  readonly trustAmountPerDayCents: number | null;
}

/** Returns what a new payment adds to its actor's activity; null with the sandbox's test user, which has no limits. */
export function creationDemand(facts: PaymentFacts, amounts: AmountsPerDay): Demand | null {
  const { mode, action, actorId, target, amountCents, appId } = facts;
  if (mode === 'scripted') return null;
  const { type, userId, address } = target;
  const payee = type === 'user' || address === null ? userId : `${type}:${normalizeAddress(type, address)}`;
  if (action === 'pay') {
    return {
      userId: actorId,
      payee,
      isRequest: false,
      uses: payingUses(amountCents, appId, amounts.appAmountPerDayCents),
    };
  }
  const uses: Use[] = [
    { counter: `pending:${payee}`, amount: 1, limit: 'pendingPerPair' },
    { counter: 'pending', amount: 1, limit: 'pendingPerUser' },
  ];
  if (mode === 'trusted') {
    uses.push({ counter: `payer:${userId}`, amount: amountCents, limit: amounts.trustAmountPerDayCents });
  }
  return { userId: actorId, payee, isRequest: true, uses };
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
  const { mode, action, amountCents } = facts;
  const isApproval = status === 'pending' && action === 'charge' && byUserId === targetUserId && mode !== 'scripted';
  if (!isApproval) return null;
  const uses = payingUses(amountCents, appId, appAmountPerDayCents);
  return { userId: byUserId, payee: null, isRequest: false, uses };
}

function payingUses(amount: number, appId: string, appAmountPerDayCents: number | null): Use[] {
  return [
    { counter: 'spent', amount, limit: 'amountPerDayCents' },
    { counter: `app:${appId}`, amount, limit: appAmountPerDayCents },
  ];
}
