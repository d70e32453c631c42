import type {
  OperatorDecision,
  PayoutRequested,
  ProviderCode,
  WithdrawalCancelled,
  WithdrawalEvent,
  WithdrawalRequested,
} from './funding-events.js';

/** A withdrawal after its events. `sent`: the payout is requested, so that the provider's answer alone decides. */
export type WithdrawalState =
  | { readonly status: 'none' }
  | {
      readonly status: 'requested' | 'sent' | 'paid' | 'failed' | 'cancelled' | 'returned';
      readonly facts: WithdrawalRequested['data'];
      readonly isApproved: boolean;
      readonly payout: PayoutRequested['data'] | null;
      /** Why it ended without a payout that stayed; null while it has not. */
      readonly endReason: WithdrawalEndReason | null;
    };

export type WithdrawalEndReason = 'not_covered' | WithdrawalCancelled['data']['reason'] | ProviderCode;

export type ExistingWithdrawal = Exclude<WithdrawalState, { status: 'none' }>;

export const NO_WITHDRAWAL: WithdrawalState = { status: 'none' };

type Status = ExistingWithdrawal['status'];

/** The statuses that each event can follow, and the status after it. */
const TRANSITIONS: Readonly<
  Record<
    Exclude<WithdrawalEvent['type'], 'WithdrawalRequested'>,
    { readonly from: readonly Status[]; readonly to: Status }
  >
> = {
  WithdrawalApproved: { from: ['requested'], to: 'requested' },
  PayoutRequested: { from: ['requested'], to: 'sent' },
  WithdrawalPaid: { from: ['requested', 'sent'], to: 'paid' },
  WithdrawalFailed: { from: ['requested', 'sent'], to: 'failed' },
  WithdrawalCancelled: { from: ['requested'], to: 'cancelled' },
  WithdrawalReturned: { from: ['paid'], to: 'returned' },
};

/** Folds an event into the withdrawal. Total: an event that cannot follow leaves the state unchanged. */
export function evolveWithdrawal(state: WithdrawalState, event: WithdrawalEvent): WithdrawalState {
  if (event.type === 'WithdrawalRequested') {
    return state.status === 'none'
      ? { status: 'requested', facts: event.data, isApproved: false, payout: null, endReason: null }
      : state;
  }
  if (state.status === 'none') return state;
  const { from, to: status } = TRANSITIONS[event.type];
  if (!from.includes(state.status)) return state;
  if (event.type === 'PayoutRequested') return { ...state, status, payout: event.data };
  const isApproved = state.isApproved || event.type === 'WithdrawalApproved';
  return { ...state, status, isApproved, endReason: endReasonOf(event) };
}

function endReasonOf(event: WithdrawalEvent): WithdrawalEndReason | null {
  switch (event.type) {
    case 'WithdrawalFailed':
      return event.data.reason === 'not_covered' ? event.data.reason : (event.data.code ?? 'other');
    case 'WithdrawalCancelled':
      return event.data.reason;
    case 'WithdrawalReturned':
      return event.data.code ?? 'other';
    default:
      return null;
  }
}

export type WithdrawalCommand =
  | { readonly type: 'cancel'; readonly byUserId: string; readonly atUs: number }
  | { readonly type: 'approve' | 'refuse'; readonly decision: OperatorDecision; readonly atUs: number };

/**
 * `append`: store this event at the revision read. `already`: the command took effect before. `not-yet`: advance the
 * withdrawal, then decide again. `too-late`: the payout is requested or the withdrawal has ended. `not-owner`: it is
 * another user's.
 */
export type WithdrawalDecision =
  | { readonly kind: 'append'; readonly event: WithdrawalEvent }
  | { readonly kind: 'already' | 'not-yet' | 'too-late' | 'not-owner' | 'none' };

/**
 * Decides what its owner or an operator does with a withdrawal. Until the payout is requested it can be cancelled or
 * refused. It is approved only once its money has left the wallet, so that nothing but the request stands before
 * "not covered".
 */
export function decideWithdrawal(
  command: WithdrawalCommand,
  state: WithdrawalState,
  isWithdrawn: boolean,
): WithdrawalDecision {
  if (state.status === 'none') return { kind: 'none' };
  if (command.type === 'cancel' && command.byUserId !== state.facts.userId) return { kind: 'not-owner' };
  if (command.type === 'approve') return approve(command, state, isWithdrawn);
  if (state.status === 'cancelled') return { kind: 'already' };
  if (state.status !== 'requested') return { kind: 'too-late' };
  const { atUs } = command;
  if (command.type === 'refuse') {
    const data = { reason: 'refused_by_operator', decision: command.decision, atUs } as const;
    return { kind: 'append', event: { type: 'WithdrawalCancelled', data } };
  }
  const data = { reason: 'cancelled_by_owner', decision: null, atUs } as const;
  return { kind: 'append', event: { type: 'WithdrawalCancelled', data } };
}

function approve(
  { decision, atUs }: Extract<WithdrawalCommand, { type: 'approve' | 'refuse' }>,
  { status, isApproved }: ExistingWithdrawal,
  isWithdrawn: boolean,
): WithdrawalDecision {
  if (isApproved) return { kind: 'already' };
  if (status !== 'requested') return { kind: 'too-late' };
  if (!isWithdrawn) return { kind: 'not-yet' };
  return { kind: 'append', event: { type: 'WithdrawalApproved', data: { decision, atUs } } };
}
