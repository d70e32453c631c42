import type { WalletEvent } from './wallet-events.js';

/** Charges of a user's source within a day. */
export interface SourceUse {
  /** Their sum, with those that wait for the provider, in cents. */
  readonly usedCents: number;
  /** Those that the provider has declined, and those that it may still decline. */
  readonly declinedOrOpen: number;
}

export interface SourceLimits {
  readonly perDayCents: number;
  readonly declinesPerDay: number;
}

/** Returns the limit that one more charge would exceed; null if it is admitted. */
export function exceededSourceLimit(
  { usedCents, declinedOrOpen }: SourceUse,
  amountCents: number,
  { perDayCents, declinesPerDay }: SourceLimits,
): 'amount' | 'declines' | null {
  if (declinedOrOpen >= declinesPerDay) return 'declines';
  return usedCents + amountCents > perDayCents ? 'amount' : null;
}

/** Returns the cents that can be withdrawn: the balance less the money that came from a source a short time ago. */
export function withdrawableCents(balanceCents: number, heldCents: number): number {
  return Math.max(0, balanceCents - Math.max(0, heldCents));
}

/** The facts that limit a withdrawal beside the balance. Times are microseconds since 1970. */
export interface WithdrawalTerms {
  readonly amountCents: number;
  /** Withdrawn within a day, those in progress included. */
  readonly withdrawnCents: number;
  readonly perDayCents: number;
  /** Since when the source gets payouts. */
  readonly payoutSourceSinceUs: number;
  /** How long a new source for payouts waits. */
  readonly newSourceWaitUs: number;
  /** No payout before this time; 0: no such wait. */
  readonly notBeforeUs: number;
}

export type WithdrawalBlock =
  { readonly kind: 'wait' | 'new source'; readonly untilUs: number } | { readonly kind: 'amount' };

/** Returns why a withdrawal is not possible now, whatever the balance; null if it is. */
export function withdrawalBlock(terms: WithdrawalTerms, atUs: number): WithdrawalBlock | null {
  const { payoutSourceSinceUs, newSourceWaitUs, notBeforeUs } = terms;
  if (atUs < notBeforeUs) return { kind: 'wait', untilUs: notBeforeUs };
  const readyUs = payoutSourceSinceUs + newSourceWaitUs;
  if (atUs < readyUs) return { kind: 'new source', untilUs: readyUs };
  return terms.withdrawnCents + terms.amountCents > terms.perDayCents ? { kind: 'amount' } : null;
}

/** Returns the cents of a wallet event that cannot be withdrawn, because they came from a source after this time. */
export function heldCentsOf(event: WalletEvent, sinceUs: number): number {
  const isMoney = event.type === 'FundsAdded' || event.type === 'FundsCredited';
  return isMoney && (sourceTimeUs(event) ?? 0) > sinceUs ? event.data.amountCents : 0;
}

/**
 * Returns the time of a wallet event that requests, refuses or brings money of a source at the provider; null for every
 * other event. Microseconds since 1970.
 */
export function sourceTimeUs({ type, data }: WalletEvent): number | null {
  switch (type) {
    case 'FundingRequested':
    case 'FundsAdded':
      return data.chargeKey === undefined ? null : data.atUs;
    case 'FundingDeclined':
    case 'DebitRefused':
      return data.chargeKey === undefined && data.reason === undefined ? null : data.atUs;
    case 'FundsCredited':
      return data.isFromSource === true ? data.atUs : null;
    default:
      return null;
  }
}
