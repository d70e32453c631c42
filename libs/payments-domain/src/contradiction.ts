import type { Contradiction, ContradictionEvent, OperatorDecision } from './funding-events.js';
import { beginBeforeUsAt } from './provider-answers.js';

/** A repayment of a charge that the log does not know. `missing`: never begun, so another key may follow. */
export interface OrphanRepayment {
  readonly key: string;
  readonly userId: string;
  readonly amountCents: number;
  readonly beginBeforeUs: number;
  readonly state: 'requested' | 'accepted' | 'refused' | 'missing';
}

/** The contradictions about one key of the provider, after their events. */
export type ContradictionState =
  | { readonly status: 'none' }
  | {
      readonly status: 'open' | 'closed';
      readonly contradiction: Contradiction;
      readonly atUs: number;
      /** In the order in which they were requested. */
      readonly repayments: readonly OrphanRepayment[];
    };

type Existing = Exclude<ContradictionState, { status: 'none' }>;

export const NO_CONTRADICTION: ContradictionState = { status: 'none' };

/** Folds an event into the contradiction. Total: an event that cannot follow leaves the state unchanged. */
export function evolveContradiction(state: ContradictionState, { type, data }: ContradictionEvent): ContradictionState {
  if (type === 'ContradictionFound') {
    const repayments = state.status === 'none' ? [] : state.repayments;
    return { status: 'open', contradiction: data.contradiction, atUs: data.atUs, repayments };
  }
  if (state.status === 'none') return state;
  switch (type) {
    case 'ContradictionClosed':
      return { ...state, status: 'closed' };
    case 'OrphanRepaymentRequested': {
      const { key, userId, amountCents, beginBeforeUs } = data;
      const requested = { key, userId, amountCents, beginBeforeUs, state: 'requested' } as const;
      return { ...state, repayments: [...state.repayments, requested] };
    }
    case 'OrphanRepaymentAnswered': {
      const answered = (known: OrphanRepayment) => (known.key === data.key ? { ...known, state: data.answer } : known);
      return { ...state, repayments: state.repayments.map(answered) };
    }
  }
}

/** Returns the newest repayment of an orphan charge, or undefined. */
export function newestOrphanRepayment(state: ContradictionState): OrphanRepayment | undefined {
  return state.status === 'none' ? undefined : state.repayments.at(-1);
}

/** Returns the intent to repay an orphan charge, which is stored before the provider is asked. */
export function requestOrphanRepayment(
  { repayments }: Existing,
  chargeKey: string,
  request: {
    readonly userId: string;
    readonly amountCents: number;
    readonly decision: OperatorDecision;
    readonly atUs: number;
  },
): Extract<ContradictionEvent, { type: 'OrphanRepaymentRequested' }> {
  const tries = repayments.length;
  const key = tries === 0 ? `${chargeKey}:late` : `${chargeKey}:late:${tries + 1}`;
  return { type: 'OrphanRepaymentRequested', data: { key, beginBeforeUs: beginBeforeUsAt(request.atUs), ...request } };
}

/** Returns the events that the provider's answer to an orphan's repayment leads to. What is given back is closed. */
export function answerOrphanRepayment(
  key: string,
  answer: 'accepted' | 'refused' | 'missing',
  { decision, atUs }: { readonly decision: OperatorDecision; readonly atUs: number },
): readonly ContradictionEvent[] {
  const answered = { type: 'OrphanRepaymentAnswered', data: { key, answer, atUs } } as const;
  return answer === 'accepted' ? [answered, { type: 'ContradictionClosed', data: { decision, atUs } }] : [answered];
}
