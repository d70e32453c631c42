import { NO_CHARGE, type ChargeState } from './charges.js';
import type { ReversalEvent, ReversalOpened } from './funding-events.js';
import type { WalletCommand } from './wallet.js';

export type ReversalState =
  { readonly status: 'none' } | { readonly status: 'open' | 'won' | 'lost'; readonly facts: ReversalOpened['data'] };

export const NO_REVERSAL: ReversalState = { status: 'none' };

/** Folds an event into the reversal. Total: an event that cannot follow leaves the state unchanged. */
export function evolveReversal(state: ReversalState, event: ReversalEvent): ReversalState {
  if (event.type === 'ReversalOpened') {
    return state.status === 'none' ? { status: 'open', facts: event.data } : state;
  }
  if (state.status !== 'open') return state;
  return { status: event.data.won ? 'won' : 'lost', facts: state.facts };
}

/** A reversal as the provider shows it, with the payment or deposit whose charge it takes back. */
export interface ProviderReversal {
  readonly state: 'open' | 'won' | 'lost';
  readonly opened: Omit<ReversalOpened['data'], 'atUs'>;
}

/** Returns the events that the reversal's stream lacks, to be appended together at the revision read. */
export function reversalEvents(
  state: ReversalState,
  { state: shown, opened }: ProviderReversal,
  atUs: number,
): readonly ReversalEvent[] {
  const closed: readonly ReversalEvent[] =
    shown === 'open' ? [] : [{ type: 'ReversalClosed', data: { won: shown === 'won', atUs } }];
  if (state.status === 'none') return [{ type: 'ReversalOpened', data: { ...opened, atUs } }, ...closed];
  return state.status === 'open' ? closed : [];
}

export type ReversalStep =
  | { readonly kind: 'wallet'; readonly walletId: string; readonly command: WalletCommand }
  /** Take in the charge's own answer first. */
  | { readonly kind: 'charge-first'; readonly chargeKey: string }
  | { readonly kind: 'idle' };

/**
 * Returns what the wallet lacks of a reversal.
 * @param charge what the wallet holds of the reversed charge
 */
export function nextReversalStep(
  reversalId: string,
  { state, charge = NO_CHARGE }: { state: ReversalState; charge: ChargeState | undefined },
  atUs: number,
): ReversalStep {
  if (state.status === 'none') return { kind: 'idle' };
  const { userId: walletId, chargeKey, paymentId, fundingId, amountCents } = state.facts;
  const isTaken = charge.reversals.get(reversalId);
  const facts = { paymentId, fundingId, chargeKey, reversalId, amountCents, atUs };
  if (isTaken === undefined) {
    if (!charge.isAdded) return { kind: 'charge-first', chargeKey };
    return { kind: 'wallet', walletId, command: { type: 'reverse', ...facts, isWon: false } };
  }
  if (state.status !== 'won' || isTaken) return { kind: 'idle' };
  return { kind: 'wallet', walletId, command: { type: 'reverse', ...facts, isWon: true } };
}
