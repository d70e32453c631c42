import { CURRENCY } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import { nextReversalStep, reversalEvents, type ChargeOwner, type Contradiction } from '@settle/payments-domain';
import type { ProviderReversal } from '@settle/provider-api';
import type { Clock } from '../storage/clock.js';
import { AGAIN, APPLIED, type ChangeAttempts, type ChangeVerdict } from './change-attempts.js';
import type { ChargeChanges } from './charge-changes.js';
import type { ChargeReader } from './charge-reader.js';
import type { FundingHistory, FundingHistoryReader } from './funding-history.js';
import type { OwnerAdvances } from './owner-advances.js';
import { appendToFunding } from './funding-appends.js';

export interface ReversalChangesParts {
  readonly attempts: ChangeAttempts;
  readonly charges: ChargeReader;
  readonly chargeChanges: ChargeChanges;
  readonly histories: FundingHistoryReader;
  readonly advances: OwnerAdvances;
  readonly store: Pick<EventStore, 'append'>;
  readonly clock: Clock;
}

type ReversalHistory = Extract<FundingHistory['funding'], { kind: 'reversal' }>;

const contradicts = (contradiction: Contradiction): ChangeVerdict => ({ kind: 'contradiction', contradiction });

/** Stores disputes and chargebacks of the provider, each once, and has their money taken from the wallet or returned to it. */
export class ReversalChanges {
  constructor(private readonly parts: ReversalChangesParts) {}

  /** Resolves when the log has what follows from the reversal. Errors: those of `ChangeAttempts` and of the ledger. */
  apply(id: string, leastVersion?: number): Promise<'applied' | Contradiction> {
    let charge: 'applied' | Contradiction | null = null;
    const decide = async (object: ProviderReversal) => {
      // The charge's own answer comes first: only money that is in the wallet can be taken back.
      charge ??= await this.parts.chargeChanges.apply(object.charge_key);
      return this.#decide(id, object, charge);
    };
    return this.parts.attempts.untilApplied('reversal', id, decide, leastVersion);
  }

  async #decide(id: string, object: ProviderReversal, charge: 'applied' | Contradiction): Promise<ChangeVerdict> {
    const { charges, histories, advances, store, clock } = this.parts;
    const stored = await charges.find(object.charge_key);
    if (stored === null) return contradicts('unknown_key');
    const { owner } = stored;
    const ref = { kind: 'reversal', id } as const;
    const { funding, revision } = await histories.read(ref);
    if (funding.kind !== 'reversal') throw new TypeError(`The stream of the reversal ${id} is of another kind`);
    const contradiction = contradictionOf(object, owner, funding);
    if (contradiction !== null) return contradicts(contradiction);
    const { chargeKey, walletId: userId, paymentId, fundingId } = owner;
    const opened = { chargeKey, userId, paymentId, fundingId, amountCents: object.amount };
    const events = reversalEvents(funding.state, { state: object.state, opened }, clock.nowUs());
    if (events.length > 0) {
      const ofReversal = events.map((event) => ({ ...ref, event }));
      await appendToFunding(store, ofReversal, revision);
      return AGAIN;
    }
    const ofCharge = funding.steps.charges.get(chargeKey);
    const step = nextReversalStep(id, { state: funding.state, charge: ofCharge }, clock.nowUs());
    // A charge that contradicts the log brings no money; both are listed, and the worker follows once that is resolved.
    if (step.kind === 'idle' || (step.kind === 'charge-first' && charge !== 'applied')) return APPLIED;
    await advances.advanceFunding(ref, userId);
    return AGAIN;
  }
}

function contradictionOf(
  { amount, currency, state: shown, charge_key }: ProviderReversal,
  { totalCents }: ChargeOwner,
  { state }: ReversalHistory,
): Contradiction | null {
  if (currency !== CURRENCY) return 'other_currency';
  if (amount === 0 || amount > totalCents) return 'other_amount';
  if (state.status === 'none') return null;
  if (state.facts.amountCents !== amount) return 'other_amount';
  const isClosedOtherwise = state.status !== 'open' && shown !== 'open' && shown !== state.status;
  return isClosedOtherwise || state.facts.chargeKey !== charge_key ? 'answered_otherwise' : null;
}
