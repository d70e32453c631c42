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

/** Asks the provider about one call of a payment. Never rejects. */
export async function askProvider(context: ProviderCallContext, call: FundingCall): Promise<ProviderOutcome> {
  const { key, walletId, order, beginBeforeUs = NEVER_BEGINS_US } = call;
  const isCharge = call.kind === 'charge';
  const isEnded = isCharge && call.isEnded === true;
  // The time is taken before the request: only a 404 to a request sent late enough is final.
  const nowUs = context.clock.nowUs();
  const request = providerRequest({ beginBeforeUs, isEnded }, nowUs, isCharge ? context.pendingUs : Infinity);
  const { totalCents: amountCents, sourceId, attempt } = order;
  const expected = { amountCents, isMissingFinal: request.isMissingFinal };
  const providerCall = { key, userId: walletId, amountCents, beginBeforeUs, request };
  if (!isCharge) {
    const { chargeKey = '' } = call;
    const result = repaymentResult(await context.provider.repay({ ...providerCall, chargeKey }), expected);
    if (result.kind === 'contradiction') return result;
    if (result.kind === 'unknown') return OPEN;
    return { kind: 'decided', result: { kind: 'repayment', walletId, key, answer: result.kind } };
  }
  const result = chargeResult(await context.provider.charge({ ...providerCall, sourceId }), expected);
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
