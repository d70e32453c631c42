import { CURRENCY } from '@settle/contracts';
import type { Contradiction, FundingRefusal, ProviderCode } from './funding-events.js';

/** Time between the intent and the moment by which the provider must have begun. */
const BEGIN_WINDOW_US = 30_000_000;
/** How far the provider's clock may differ from ours. */
const CLOCK_DIFFERENCE_US = 30_000_000;

/** Returns the `begin_before` of an intent that is stored at this time. */
export function beginBeforeUsAt(atUs: number): number {
  return atUs + BEGIN_WINDOW_US;
}

/** Returns when the intent was stored whose `begin_before` this is. */
export function intentUsOf(beginBeforeUs: number): number {
  return beginBeforeUs - BEGIN_WINDOW_US;
}

/** How to ask the provider about a key now. */
export interface ProviderRequest {
  /** `put` carries the stored `begin_before`; it creates the object or reads it. */
  readonly method: 'put' | 'get';
  /** Ask for the charge's cancellation first. */
  readonly cancels: boolean;
  /** Whether a 404 to a request that is sent at this time means that it never happened. */
  readonly isMissingFinal: boolean;
}

/**
 * Returns how to ask about a key at a time, which must be taken before the request is sent.
 * @param isEnded the charge's payment has ended: it must not begin any more
 * @param pendingUs how long a charge may stay pending before it is cancelled; Infinity for payouts and repayments
 */
export function providerRequest(
  { beginBeforeUs, isEnded = false }: { beginBeforeUs: number; isEnded?: boolean },
  atUs: number,
  pendingUs: number,
): ProviderRequest {
  const isOverdue = atUs >= intentUsOf(beginBeforeUs) + pendingUs;
  return {
    method: !isEnded && atUs < beginBeforeUs ? 'put' : 'get',
    cancels: isEnded || isOverdue,
    isMissingFinal: atUs >= beginBeforeUs + CLOCK_DIFFERENCE_US,
  };
}

/** An object as the provider shows it. */
export interface ProviderObject<State extends string> {
  readonly state: State;
  readonly id: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly code: ProviderCode | null;
}

/** `unknown`: no answer arrived, or none that can be read. It decides nothing. `missing`: 404. */
export type ProviderAnswer<State extends string> = ProviderObject<State> | 'missing' | 'unknown';

export type ChargeProviderState = 'pending' | 'action_required' | 'approved' | 'declined' | 'cancelled';
export type PayoutProviderState = 'pending' | 'paid' | 'failed' | 'returned';

interface Expected {
  readonly amountCents: number;
  readonly isMissingFinal: boolean;
}

type Contradicted = { readonly kind: 'contradiction'; readonly contradiction: Contradiction };

export type ChargeResult =
  | { readonly kind: 'pending' }
  | { readonly kind: 'approved'; readonly providerId: string }
  | { readonly kind: 'refused'; readonly refusal: FundingRefusal }
  | Contradicted;

/** Returns what an answer says about a charge. Only an object's state, or a final 404, is a "no". */
export function chargeResult(answer: ProviderAnswer<ChargeProviderState>, expected: Expected): ChargeResult {
  if (answer === 'unknown') return { kind: 'pending' };
  if (answer === 'missing') return expected.isMissingFinal ? refused('funding_declined', 'other') : { kind: 'pending' };
  const contradiction = otherContent(answer, expected);
  if (contradiction !== null) return { kind: 'contradiction', contradiction };
  switch (answer.state) {
    case 'pending':
    case 'action_required':
      return { kind: 'pending' };
    case 'approved':
      return { kind: 'approved', providerId: answer.id };
    case 'declined':
      return refused('funding_declined', answer.code ?? 'other');
    case 'cancelled':
      return refused('funding_cancelled', answer.code ?? 'other');
  }
}

function refused(reason: FundingRefusal['reason'], code: ProviderCode): ChargeResult {
  return { kind: 'refused', refusal: { reason, code } };
}

/** `accepted`: the provider has it, and may still fail or return it. `missing`: it never happened. */
export type RepaymentResult = { readonly kind: 'unknown' | 'accepted' | 'refused' | 'missing' } | Contradicted;

/** Returns what an answer says about a repayment. */
export function repaymentResult(answer: ProviderAnswer<PayoutProviderState>, expected: Expected): RepaymentResult {
  if (answer === 'unknown') return { kind: 'unknown' };
  if (answer === 'missing') return { kind: expected.isMissingFinal ? 'missing' : 'unknown' };
  const contradiction = otherContent(answer, expected);
  if (contradiction !== null) return { kind: 'contradiction', contradiction };
  return { kind: answer.state === 'pending' || answer.state === 'paid' ? 'accepted' : 'refused' };
}

export type PayoutResult =
  | { readonly kind: 'pending' }
  | { readonly kind: 'paid'; readonly providerId: string }
  | { readonly kind: 'failed' | 'returned'; readonly code: ProviderCode }
  | Contradicted;

/** Returns what an answer says about a payout. */
export function payoutResult(answer: ProviderAnswer<PayoutProviderState>, expected: Expected): PayoutResult {
  if (answer === 'unknown') return { kind: 'pending' };
  if (answer === 'missing') return expected.isMissingFinal ? { kind: 'failed', code: 'other' } : { kind: 'pending' };
  const contradiction = otherContent(answer, expected);
  if (contradiction !== null) return { kind: 'contradiction', contradiction };
  if (answer.state === 'pending') return { kind: 'pending' };
  if (answer.state === 'paid') return { kind: 'paid', providerId: answer.id };
  return { kind: answer.state, code: answer.code ?? 'other' };
}

function otherContent({ amountCents, currency }: ProviderObject<string>, expected: Expected): Contradiction | null {
  if (currency !== CURRENCY) return 'other_currency';
  return amountCents === expected.amountCents ? null : 'other_amount';
}
