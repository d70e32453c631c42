import {
  NO_CONTRADICTION,
  NO_DEPOSIT,
  NO_FUNDING_STEPS,
  NO_REVERSAL,
  NO_WITHDRAWAL,
  evolveContradiction,
  evolveDeposit,
  evolveFundingSteps,
  evolveReversal,
  evolveWithdrawal,
  nextFundingStep,
  nextReversalStep,
  type ContradictionState,
  type FundingSteps,
  type FundingUnit,
  type ReversalState,
  type StepFact,
  type WalletEvent,
} from '@settle/payments-domain';
import type { FundingEvent, FundingKind } from '../../storage/streams.js';

/** A funding stream, and the steps that its owner's wallet has of it. */
export type FundingState =
  | FundingUnit
  | { readonly kind: 'reversal'; readonly id: string; readonly state: ReversalState; readonly steps: FundingSteps }
  | { readonly kind: 'contradiction'; readonly id: string; readonly state: ContradictionState };

/** A funding stream by kind and id. */
export interface FundingRef {
  readonly kind: FundingKind;
  readonly id: string;
}

/** `finish`: an append is missing. `ask`: the provider is to be asked. `review`: an operator decides. */
export type FundingAct = 'finish' | 'ask' | 'review';

/** Returns a funding stream without events. */
export function newFundingState({ kind, id }: FundingRef): FundingState {
  const steps = NO_FUNDING_STEPS;
  switch (kind) {
    case 'deposit':
      return { kind, id, state: NO_DEPOSIT, steps };
    case 'withdrawal':
      return { kind, id, state: NO_WITHDRAWAL, steps };
    case 'reversal':
      return { kind, id, state: NO_REVERSAL, steps };
    case 'contradiction':
      return { kind, id, state: NO_CONTRADICTION };
  }
}

/** Folds an event of its stream into the state. An event of another kind leaves it unchanged. */
export function evolveFunding(funding: FundingState, { kind, event }: FundingEvent): FundingState {
  if (funding.kind === 'deposit' && kind === 'deposit') {
    return { ...funding, state: evolveDeposit(funding.state, event) };
  }
  if (funding.kind === 'withdrawal' && kind === 'withdrawal') {
    return { ...funding, state: evolveWithdrawal(funding.state, event) };
  }
  if (funding.kind === 'reversal' && kind === 'reversal') {
    return { ...funding, state: evolveReversal(funding.state, event) };
  }
  if (funding.kind === 'contradiction' && kind === 'contradiction') {
    return { ...funding, state: evolveContradiction(funding.state, event) };
  }
  return funding;
}

/** Folds an event of the owner's wallet into the steps. */
export function evolveFundingWallet(funding: FundingState, fact: StepFact): FundingState {
  return funding.kind === 'contradiction' ? funding : { ...funding, steps: evolveFundingSteps(funding.steps, fact) };
}

const NO_REFS: readonly FundingRef[] = [];

/** Returns the deposit, withdrawal and reversal to which a wallet event belongs. */
export function fundingRefsOf({ type, data }: WalletEvent): readonly FundingRef[] {
  // Most events are of a payment, which excludes a deposit or withdrawal.
  if (data.paymentId !== null && !('reversalId' in data)) return NO_REFS;
  const fundingId = 'fundingId' in data ? (data.fundingId ?? null) : null;
  const refs: FundingRef[] = [];
  // The money of a withdrawal leaves without a charge; every other step is of a deposit or of its charge.
  const isOfWithdrawal =
    (type === 'FundsWithdrawn' || type === 'WithdrawalReversed') && data.repaymentKey === undefined;
  if (fundingId !== null) refs.push({ kind: isOfWithdrawal ? 'withdrawal' : 'deposit', id: fundingId });
  if ('reversalId' in data) refs.push({ kind: 'reversal', id: data.reversalId });
  return refs;
}

/** Returns what is to be done next, according to its events; null if nothing is. */
export function fundingActOf(funding: FundingState): FundingAct | null {
  if (funding.kind === 'contradiction') return funding.state.status === 'open' ? 'review' : null;
  if (funding.kind === 'reversal') {
    const { id, state, steps } = funding;
    const charge = state.status === 'none' ? undefined : steps.charges.get(state.facts.chargeKey);
    return nextReversalStep(id, { state, charge }, 0).kind === 'idle' ? null : 'finish';
  }
  const step = nextFundingStep(funding, { atUs: 0, isFrozen: () => false, heldCents: 0 });
  if (step.kind === 'idle') return step.status === 'review' ? 'review' : null;
  return step.kind === 'charge' || step.kind === 'payout' ? 'ask' : 'finish';
}
