import type { FundingReason } from '@settle/contracts';
import type { FundingUnit } from '@settle/payments-domain';
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
  /** Why no money moved, or came back: `FundingReason` of the messages; kind of a contradiction. */
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

function reasonOf(state: Exclude<FundingUnit['state'], { status: 'none' | 'accepted' }>): FundingReason | null {
  if ('endReason' in state) return state.endReason === 'cancelled_by_owner' ? 'cancelled' : state.endReason;
  if (state.status !== 'failed') return null;
  return state.refusal.reason === 'funding_cancelled' ? 'cancelled' : state.refusal.code;
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
  return { ...common, sourceId: state.facts.sourceId, reason: reasonOf(state) };
}
