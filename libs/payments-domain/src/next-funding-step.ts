import type { DepositState } from './deposit.js';
import type { DepositEvent, WithdrawalEvent } from './funding-events.js';
import { beginBeforeUsAt } from './provider-answers.js';
import type { SourceOrder } from './next-step.js';
import type { WalletCommand } from './wallet.js';
import type { FundingSteps } from './wallet-steps.js';
import type { ExistingWithdrawal, WithdrawalState } from './withdrawal.js';

/** A deposit or a withdrawal and its steps in the owner's wallet. Read the stream first, then the wallet. */
export type FundingUnit =
  | { readonly kind: 'deposit'; readonly id: string; readonly state: DepositState; readonly steps: FundingSteps }
  | { readonly kind: 'withdrawal'; readonly id: string; readonly state: WithdrawalState; readonly steps: FundingSteps };

export type FundingStep =
  /** Append to the deposit's stream at the revision read. */
  | { readonly kind: 'deposit'; readonly event: DepositEvent }
  /** Append to the withdrawal's stream at the revision read. */
  | { readonly kind: 'withdrawal'; readonly event: WithdrawalEvent }
  /**
   * Append what `decideWallet` returns to the wallet at the revision read. If it returns nothing, append `ifNotCovered` to
   * the withdrawal's stream at the revision read.
   */
  | {
      readonly kind: 'wallet';
      readonly walletId: string;
      readonly command: WalletCommand;
      readonly ifNotCovered: WithdrawalEvent | null;
    }
  /** Call the provider as `providerRequest` says; `depositAnswer` or `payoutAnswer` says what follows. */
  | {
      readonly kind: 'charge' | 'payout';
      readonly walletId: string;
      readonly key: string;
      readonly order: SourceOrder;
      readonly beginBeforeUs: number;
    }
  /** The wallet was read before an event on which the stream rests: read it again. */
  | { readonly kind: 'reload' }
  /** Nothing to do until an operator reviews it, or ever. */
  | { readonly kind: 'idle'; readonly status: 'review' | 'done' };

/** Input of a decision: the time, whether the owner is frozen now, and what the owner cannot withdraw yet. */
export interface FundingContext {
  readonly atUs: number;
  readonly isFrozen: (userId: string) => boolean;
  /** Money in the owner's wallet, at the revision read, that came from a source too short a time ago. */
  readonly heldCents: number;
}

const DONE: FundingStep = { kind: 'idle', status: 'done' };

/**
 * Returns the next append or provider call that advances a deposit or withdrawal, from its history alone. The stream of
 * the deposit or withdrawal decides; the wallet follows from it. Every prefix of a unit is finished by it.
 */
export function nextFundingStep(unit: FundingUnit, context: FundingContext): FundingStep {
  return unit.kind === 'deposit'
    ? nextDepositStep(unit, context)
    : unit.state.status === 'none'
      ? DONE
      : nextWithdrawalStep(unit, unit.state, context);
}

function nextDepositStep(
  { id, state, steps }: Extract<FundingUnit, { kind: 'deposit' }>,
  { atUs }: FundingContext,
): FundingStep {
  if (state.status === 'none' || state.status === 'accepted' || state.status === 'failed') return DONE;
  const { userId: walletId, amountCents, sourceId, booking, beginBeforeUs } = state.facts;
  if (state.status === 'requested') {
    if (booking !== null) return { kind: 'deposit', event: { type: 'DepositSettled', data: { atUs } } };
    return { kind: 'charge', walletId, key: id, order: orderOf(sourceId, amountCents), beginBeforeUs };
  }
  if (steps.isAdded) return DONE;
  const ofCharge = booking === null ? { chargeKey: id } : {};
  const ofProvider = state.providerId === null ? {} : { providerId: state.providerId };
  const deposit = { fundingId: id, ...ofCharge, ...ofProvider };
  const command: WalletCommand = { type: 'deposit', amountCents, sourceId, deposit, atUs };
  return { kind: 'wallet', walletId, command, ifNotCovered: null };
}

function nextWithdrawalStep(
  { id, steps }: Extract<FundingUnit, { kind: 'withdrawal' }>,
  state: ExistingWithdrawal,
  context: FundingContext,
): FundingStep {
  const { userId: walletId, amountCents, sourceId, booking } = state.facts;
  const { atUs } = context;
  switch (state.status) {
    case 'paid':
      return DONE;
    case 'failed':
    case 'cancelled':
    case 'returned': {
      if (!steps.isWithdrawn || steps.isTakenBack) return DONE;
      const wasPaid = state.status === 'returned';
      const owner = { paymentId: null, fundingId: id, atUs };
      const command: WalletCommand = { type: 'take-back', ...owner, amountCents, wasPaid, repayment: null };
      return { kind: 'wallet', walletId, command, ifNotCovered: null };
    }
    case 'requested': {
      if (steps.isWithdrawn) return afterWithdrawn(id, state, context);
      // An operator approves only after the money has left the wallet.
      if (state.isApproved) return { kind: 'reload' };
      const command: WalletCommand = {
        ...{ type: 'withdraw', paymentId: null, fundingId: id },
        ...{ amountCents, sourceId, heldCents: booking === null ? context.heldCents : 0, atUs },
      };
      const ifNotCovered = { type: 'WithdrawalFailed', data: { reason: 'not_covered', atUs } } as const;
      return { kind: 'wallet', walletId, command, ifNotCovered };
    }
    case 'sent': {
      if (!steps.isWithdrawn || state.payout === null) return { kind: 'reload' };
      const { key, beginBeforeUs } = state.payout;
      return { kind: 'payout', walletId, key, order: orderOf(sourceId, amountCents), beginBeforeUs };
    }
  }
}

/** The money has left the wallet: the payout is requested, unless it waits for an operator or its owner is frozen. */
function afterWithdrawn(
  id: string,
  { facts, isApproved }: ExistingWithdrawal,
  { atUs, isFrozen }: FundingContext,
): FundingStep {
  // An operator has made the bank transfer already.
  if (facts.booking !== null) return { kind: 'withdrawal', event: { type: 'WithdrawalPaid', data: { atUs } } };
  if (isFrozen(facts.userId)) {
    const data = { reason: 'owner_frozen', decision: null, atUs } as const;
    return { kind: 'withdrawal', event: { type: 'WithdrawalCancelled', data } };
  }
  if (facts.needsReview && !isApproved) return { kind: 'idle', status: 'review' };
  return { kind: 'withdrawal', event: payoutRequested(id, atUs) };
}

function payoutRequested(id: string, atUs: number): WithdrawalEvent {
  return { type: 'PayoutRequested', data: { key: id, beginBeforeUs: beginBeforeUsAt(atUs), atUs } };
}

/**
 * Returns the intent of a payout that the provider has and the log, after a restore, has not: stored again, so that no user and
 * no operator ends a withdrawal that may be paid. Null if the log has it, or the money has not left the wallet.
 */
export function lostPayoutIntent(
  { id, state, steps }: Extract<FundingUnit, { kind: 'withdrawal' }>,
  atUs: number,
): WithdrawalEvent | null {
  const isLost = state.status === 'requested' && state.facts.booking === null && steps.isWithdrawn;
  return isLost ? payoutRequested(id, atUs) : null;
}

function orderOf(sourceId: string, totalCents: number): SourceOrder {
  return { sourceId, attempt: 1, totalCents };
}
