import type { DepositEvent, DepositRequested, FundingRefusal } from './funding-events.js';

/** A deposit after its events. `accepted`: from before there was a provider; `nextFundingStep` leaves it alone. */
export type DepositState =
  | { readonly status: 'none' }
  | { readonly status: 'accepted' }
  | { readonly status: 'requested'; readonly facts: DepositRequested['data'] }
  | { readonly status: 'settled'; readonly facts: DepositRequested['data']; readonly providerId: string | null }
  | { readonly status: 'failed'; readonly facts: DepositRequested['data']; readonly refusal: FundingRefusal };

export const NO_DEPOSIT: DepositState = { status: 'none' };

/** Folds an event into the deposit. Total: an event that cannot follow leaves the state unchanged. */
export function evolveDeposit(state: DepositState, event: DepositEvent): DepositState {
  switch (event.type) {
    case 'DepositAccepted':
      return state.status === 'none' ? { status: 'accepted' } : state;
    case 'DepositRequested':
      return state.status === 'none' ? { status: 'requested', facts: event.data } : state;
    case 'DepositSettled': {
      const { providerId = null } = event.data;
      return state.status === 'requested' ? { status: 'settled', facts: state.facts, providerId } : state;
    }
    case 'DepositFailed': {
      const { reason, code } = event.data;
      return state.status === 'requested' ? { status: 'failed', facts: state.facts, refusal: { reason, code } } : state;
    }
  }
}
