import { NO_CHARGE, isReversed, nextRepaymentKey, openRepayment, type ChargeState } from './charges.js';
import type { DepositState } from './deposit.js';
import type { Contradiction, DepositEvent, WithdrawalEvent } from './funding-events.js';
import type { RepayCall } from './funding-calls.js';
import type { ChargeResult, PayoutResult, RepaymentResult } from './provider-answers.js';
import type { WalletCommand } from './wallet.js';
import type { WithdrawalState } from './withdrawal.js';

/** The purpose of a charge, from the event that requested it. */
export interface ChargeOwner {
  readonly walletId: string;
  readonly paymentId: string | null;
  readonly fundingId: string | null;
  readonly chargeKey: string;
  /** 1 for a deposit. */
  readonly attempt: number;
  readonly sourceId: string;
  readonly totalCents: number;
}

/**
 * Returns the events that a change of the provider leads to. Decide on streams that were read at their current end, never on cached ones, and
 * store the cursor only after `applied` (or after the contradiction is stored).
 */
export type ChangeStep =
  | { readonly kind: 'applied' }
  /** Advance the payment, deposit or withdrawal to which the key belongs, read again, decide again. */
  | { readonly kind: 'advance' }
  | { readonly kind: 'wallet'; readonly walletId: string; readonly command: WalletCommand }
  /** Repay money that arrived for an attempt already refused; `lateRepaymentAnswer` says what follows. */
  | RepayCall
  | { readonly kind: 'contradiction'; readonly contradiction: Contradiction };

const APPLIED: ChangeStep = { kind: 'applied' };
const ADVANCE: ChangeStep = { kind: 'advance' };
const contradicts = (contradiction: Contradiction): ChangeStep => ({ kind: 'contradiction', contradiction });

/**
 * Returns what a charge's state at the provider leads to.
 * @param charge what the wallet holds of it
 * @param isRefused whether our "no" is stored: `charge.isRefused`, for a deposit that it has failed
 */
export function chargeChange(
  owner: ChargeOwner,
  { charge = NO_CHARGE, isRefused }: { charge: ChargeState | undefined; isRefused: boolean },
  { result, atUs }: { result: ChargeResult; atUs: number },
): ChangeStep {
  switch (result.kind) {
    case 'contradiction':
      return contradicts(result.contradiction);
    case 'pending':
      return APPLIED;
    case 'refused':
      if (charge.isAdded) return contradicts('declined_after_approval');
      return isRefused ? APPLIED : ADVANCE;
    case 'approved':
      if (charge.isAdded) return APPLIED;
      return isRefused ? lateStep(owner, charge, atUs) : ADVANCE;
  }
}

/** Money that arrives for an attempt already answered "no" is repaid; the payment is not touched. */
function lateStep(owner: ChargeOwner, charge: ChargeState, atUs: number): ChangeStep {
  const { walletId, paymentId, fundingId, chargeKey, attempt, sourceId, totalCents } = owner;
  const open = openRepayment(charge);
  if (open !== undefined) {
    const order = { sourceId, attempt, totalCents };
    return { kind: 'repay', walletId, key: open.key, order, chargeKey, beginBeforeUs: open.beginBeforeUs };
  }
  const key = nextRepaymentKey(charge, `${chargeKey}:late`);
  const command: WalletCommand = { type: 'request-repayment', paymentId, fundingId, chargeKey, key, atUs };
  return { kind: 'wallet', walletId, command };
}

/** Returns what follows from the answer to the repayment of late money; null if it is answered already. */
export function lateRepaymentAnswer(
  owner: ChargeOwner,
  charge: ChargeState,
  { key, answer, atUs }: { key: string; answer: 'accepted' | 'refused' | 'missing'; atUs: number },
): WalletCommand | null {
  if (charge.isAdded || openRepayment(charge)?.key !== key) return null;
  const { paymentId, fundingId, chargeKey, attempt, sourceId, totalCents: amountCents } = owner;
  const of = { paymentId, fundingId, chargeKey, atUs };
  if (answer === 'missing' && !isReversed(charge)) {
    return { type: 'request-repayment', ...of, key: nextRepaymentKey(charge, `${chargeKey}:late`) };
  }
  const repaymentKey = answer === 'accepted' ? key : null;
  return { type: 'add-late', ...of, amountCents, sourceId, attempt, repaymentKey };
}

/** Returns what a repayment's state at the provider leads to. Apply the change of its charge first. */
export function repaymentChange(
  owner: ChargeOwner,
  charge: ChargeState | undefined,
  { key, result, atUs }: { key: string; result: RepaymentResult; atUs: number },
): ChangeStep {
  if (result.kind === 'contradiction') return contradicts(result.contradiction);
  if (result.kind === 'unknown' || result.kind === 'missing') return APPLIED;
  const known = charge?.repayments.find((repayment) => repayment.key === key);
  if (known === undefined) return contradicts('not_requested');
  if (known.state === 'requested') return ADVANCE;
  if (result.kind === 'accepted') return known.state === 'accepted' ? APPLIED : contradicts('answered_otherwise');
  if (known.state !== 'accepted') return APPLIED;
  const { walletId, paymentId, fundingId, chargeKey, totalCents: amountCents } = owner;
  const repayment = { chargeKey, key };
  const takeBack = { type: 'take-back', paymentId, fundingId, amountCents, wasPaid: true, repayment, atUs } as const;
  return { kind: 'wallet', walletId, command: takeBack };
}

/** Returns the event that the answer to a deposit's charge leads to; null if it has none yet, or is decided already. */
export function depositAnswer(state: DepositState, result: ChargeResult, atUs: number): DepositEvent | null {
  if (state.status !== 'requested') return null;
  if (result.kind === 'approved') return { type: 'DepositSettled', data: { providerId: result.providerId, atUs } };
  return result.kind === 'refused' ? { type: 'DepositFailed', data: { ...result.refusal, atUs } } : null;
}

/**
 * Returns the events that a payout's answer leads to, to be appended together at the revision read; none if they are there
 * already. The wallet follows by `nextFundingStep`.
 */
export function payoutAnswer(state: WithdrawalState, result: PayoutResult, atUs: number): readonly WithdrawalEvent[] {
  const isSent = state.status === 'sent';
  switch (result.kind) {
    case 'contradiction':
    case 'pending':
      return [];
    case 'paid':
      return isSent ? [{ type: 'WithdrawalPaid', data: { providerId: result.providerId, atUs } }] : [];
    case 'failed': {
      const data = { reason: 'payout_failed', code: result.code, atUs } as const;
      return isSent ? [{ type: 'WithdrawalFailed', data }] : [];
    }
    case 'returned': {
      const returned: WithdrawalEvent = { type: 'WithdrawalReturned', data: { code: result.code, atUs } };
      if (isSent) return [{ type: 'WithdrawalPaid', data: { atUs } }, returned];
      return state.status === 'paid' ? [returned] : [];
    }
  }
}

/** Returns what a payout's state at the provider leads to; after `advance`, append what `payoutAnswer` returns. */
export function payoutChange(state: WithdrawalState, result: PayoutResult): ChangeStep {
  if (result.kind === 'contradiction') return contradicts(result.contradiction);
  if (result.kind === 'pending') return APPLIED;
  if (state.status === 'none' || state.payout === null) return contradicts('not_requested');
  if (state.status === result.kind) return APPLIED;
  if (state.status === 'sent') return ADVANCE;
  if (state.status === 'paid' && result.kind === 'returned') return ADVANCE;
  return contradicts('answered_otherwise');
}
