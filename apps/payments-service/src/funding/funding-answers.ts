import {
  chargeResult,
  depositAnswer,
  payoutAnswer,
  payoutResult,
  providerRequest,
  type ChargeResult,
  type FundingStep,
  type PayoutResult,
} from '@settle/payments-domain';
import type { Clock } from '../storage/clock.js';
import type { FundingEvent } from '../storage/streams.js';
import type { FundingProvider } from '../transfer/provider-calls.js';
import type { FundingHistory } from './funding-history.js';

/** A call to the provider that a deposit or withdrawal waits for. */
export type FundingUnitCall = Extract<FundingStep, { kind: 'charge' | 'payout' }>;

interface AskContext {
  readonly provider: FundingProvider;
  readonly clock: Clock;
  /** How long a charge may stay pending before the provider is asked to cancel it. */
  readonly pendingUs: number;
}

/** Asks the provider about a charge or payout, and returns what its answer says. Never rejects. */
export async function askAboutFunding(
  { provider, clock, pendingUs }: AskContext,
  { kind, key, walletId: userId, beginBeforeUs, order }: FundingUnitCall,
): Promise<ChargeResult | PayoutResult> {
  // The time is taken before the request: only a 404 to a request sent late enough is final.
  const request = providerRequest({ beginBeforeUs }, clock.nowUs(), kind === 'charge' ? pendingUs : Infinity);
  const { sourceId, totalCents: amountCents } = order;
  const call = { key, userId, sourceId, amountCents, beginBeforeUs, request };
  const expected = { amountCents, isMissingFinal: request.isMissingFinal };
  return kind === 'charge'
    ? chargeResult(await provider.charge(call), expected)
    : payoutResult(await provider.payout(call), expected);
}

/** Returns the events of the stream to which a result leads; none if it is answered already. */
export function answerEvents(
  { funding }: FundingHistory,
  result: ChargeResult | PayoutResult,
  atUs: number,
): readonly FundingEvent[] {
  const { kind, id } = funding;
  if (kind === 'deposit' && (result.kind === 'approved' || result.kind === 'refused')) {
    const event = depositAnswer(funding.state, result, atUs);
    return event === null ? [] : [{ kind, id, event }];
  }
  if (kind === 'withdrawal' && result.kind !== 'approved' && result.kind !== 'refused') {
    return payoutAnswer(funding.state, result, atUs).map((event) => ({ kind, id, event }));
  }
  return [];
}
