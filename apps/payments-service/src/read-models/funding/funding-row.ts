import type { FundingAct, FundingState } from './funding-unit.js';
import { fundingActOf } from './funding-unit.js';

/** A deposit, withdrawal, reversal or contradiction as the read model shows it. */
export interface FundingRow {
  readonly kind: FundingState['kind'];
  readonly id: string;
  /** Null for a contradiction. */
  readonly userId: string | null;
  /** Payment whose charge was reversed. */
  readonly paymentId: string | null;
  readonly amountCents: number | null;
  readonly sourceId: string | null;
  readonly status: string;
  /** Code of a refused charge; kind of a contradiction. */
  readonly reason: string | null;
  readonly createdUs: number;
  readonly act: FundingAct | null;
  /** When a worker looks at it next; null if no worker does. Microseconds since 1970. */
  readonly dueUs: number | null;
}

/** A worker looks at unfinished funding after this time, so that it does not race the command that is at work. */
const DUE_AFTER_US = 2_000_000;

/** Returns the row of a funding stream; null without one. @param nowUs since when open work waits */
export function fundingRowOf(funding: FundingState, nowUs: number): FundingRow | null {
  const facts = factsOf(funding);
  if (facts === null) return null;
  const act = fundingActOf(funding);
  const isDue = act === 'finish' || act === 'ask';
  const { kind, id, state } = funding;
  return { kind, id, ...facts, status: state.status, act, dueUs: isDue ? nowUs + DUE_AFTER_US : null };
}

type Facts = Pick<FundingRow, 'userId' | 'paymentId' | 'amountCents' | 'sourceId' | 'reason' | 'createdUs'>;

const NO_FACTS = { userId: null, paymentId: null, amountCents: null, sourceId: null, reason: null };

function factsOf({ kind, state }: FundingState): Facts | null {
  // Deposits from before there was a provider have no facts of their own: the wallet shows them.
  if (state.status === 'none' || state.status === 'accepted') return null;
  if (kind === 'contradiction') return { ...NO_FACTS, reason: state.contradiction, createdUs: state.atUs };
  const { userId, amountCents, atUs: createdUs } = state.facts;
  const common = { ...NO_FACTS, userId, amountCents, createdUs };
  if (kind === 'reversal') return { ...common, paymentId: state.facts.paymentId };
  const reason = state.status === 'failed' && 'refusal' in state ? state.refusal.code : null;
  return { ...common, sourceId: state.facts.sourceId, reason };
}
