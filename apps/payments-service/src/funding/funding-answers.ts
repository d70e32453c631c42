import {
  chargeResult,
  depositAnswer,
  payoutAnswer,
  payoutResult,
  type ChargeResult,
  type FundingStep,
  type PayoutResult,
} from '@settle/payments-domain';
import type { FundingEvent } from '../storage/streams.js';
import { prepareCall, type ProviderCallContext } from '../transfer/provider-calls.js';
import type { FundingHistory } from './funding-history.js';

/** A call to the provider that a deposit or withdrawal waits for. */
export type FundingUnitCall = Extract<FundingStep, { kind: 'charge' | 'payout' }>;

/** Asks the provider about a charge or payout, and returns what its answer says. Never rejects. */
export async function askAboutFunding(
  { provider, clock, pendingUs }: ProviderCallContext,
  { kind, key, walletId: userId, beginBeforeUs, order }: FundingUnitCall,
): Promise<ChargeResult | PayoutResult> {
  const { sourceId, totalCents: amountCents } = order;
  const stored = { key, userId, amountCents, beginBeforeUs };
  const { call, expected } = prepareCall(stored, clock, kind === 'charge' ? pendingUs : Infinity);
  return kind === 'charge'
    ? chargeResult(await provider.charge({ ...call, sourceId }), expected)
    : payoutResult(await provider.payout({ ...call, sourceId }), expected);
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
