import { chargeResult, providerRequest, repaymentResult, type Contradiction } from '@settle/payments-domain';
import type { ProviderClient } from '../provider/provider-client.js';
import type { Clock } from '../storage/clock.js';
import type { FundingResult } from './funding.js';
import type { FundingCall } from './transfer-progress.js';

/** The part of the provider that moves money. Its calls never reject: what cannot be read or comes late is `unknown`. */
export type FundingProvider = Pick<ProviderClient, 'charge' | 'repay' | 'payout'>;

export interface ProviderCallContext {
  readonly provider: FundingProvider;
  readonly clock: Clock;
  /** How long a charge may stay pending before the provider is asked to cancel it. */
  readonly pendingUs: number;
}

/** `open`: the provider has not decided. A contradiction decides nothing either: an operator has to look at it. */
export type ProviderOutcome =
  | { readonly kind: 'open' }
  | { readonly kind: 'decided'; readonly result: FundingResult }
  | { readonly kind: 'contradiction'; readonly contradiction: Contradiction };

const OPEN: ProviderOutcome = { kind: 'open' };

/** `begin_before` of a charge from before there was a provider: it never begins, so it is only cancelled and read. */
const NEVER_BEGINS_US = 0;

const US_PER_MS = 1_000;

/** The terms of a call, from the event that states its intent. */
interface StoredCall {
  readonly key: string;
  readonly userId: string;
  readonly amountCents: number;
  readonly beginBeforeUs: number;
  /** The charge's payment has ended: it must not begin any more. */
  readonly isEnded?: boolean;
}

/**
 * Returns a call as it is to be sent now, and what its answer is compared with. Send it at once: the time is taken here, and
 * only a 404 to a request sent late enough is final.
 * @param pendingUs how long a charge may stay pending before it is cancelled; Infinity for payouts and repayments
 */
export function prepareCall({ isEnded = false, ...stored }: StoredCall, clock: Clock, pendingUs = Infinity) {
  const { amountCents, beginBeforeUs } = stored;
  // The ledger's time stays ahead after a clock was ahead for a moment, and a 404 would be final too early.
  const request = providerRequest({ beginBeforeUs, isEnded }, clock.machineMs() * US_PER_MS, pendingUs);
  return { call: { ...stored, request }, expected: { amountCents, isMissingFinal: request.isMissingFinal } };
}

/** Asks the provider about one call of a payment. Never rejects. */
export async function askProvider(
  { provider, clock, pendingUs }: ProviderCallContext,
  asked: FundingCall,
): Promise<ProviderOutcome> {
  const { key, walletId, order, beginBeforeUs = NEVER_BEGINS_US } = asked;
  const { totalCents: amountCents, sourceId, attempt } = order;
  const stored = { key, userId: walletId, amountCents, beginBeforeUs };
  if (asked.kind === 'repay') {
    const { chargeKey = '' } = asked;
    const { call, expected } = prepareCall(stored, clock);
    const result = repaymentResult(await provider.repay({ ...call, chargeKey }), expected);
    if (result.kind === 'contradiction') return result;
    if (result.kind === 'unknown') return OPEN;
    return { kind: 'decided', result: { kind: 'repayment', walletId, key, answer: result.kind } };
  }
  const { isEnded = false } = asked;
  const { call, expected } = prepareCall({ ...stored, isEnded }, clock, pendingUs);
  const result = chargeResult(await provider.charge({ ...call, sourceId }), expected);
  const of = { kind: 'charge', walletId, attempt } as const;
  switch (result.kind) {
    case 'contradiction':
      return result;
    case 'pending':
      return OPEN;
    case 'approved':
      return { kind: 'decided', result: { ...of, isApproved: true, providerId: result.providerId } };
    case 'refused':
      return { kind: 'decided', result: { ...of, isApproved: false, refusal: result.refusal } };
  }
}
