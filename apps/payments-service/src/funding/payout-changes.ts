import { lostPayoutIntent, payoutAnswer, payoutChange, payoutResult } from '@settle/payments-domain';
import type { Contradiction } from '@settle/payments-domain';
import type { ProviderPayout } from '@settle/provider-api';
import type { EventStore } from '@settle/event-store';
import type { Clock } from '../storage/clock.js';
import { fundingActOf } from '../read-models/funding/funding-unit.js';
import { AGAIN, APPLIED, type ChangeAttempts, type ChangeVerdict } from './change-attempts.js';
import type { FundingHistoryReader } from './funding-history.js';
import type { OwnerAdvances } from './owner-advances.js';
import { moneyOf } from './provider-money.js';
import { appendToFunding } from './funding-appends.js';

export interface PayoutChangesParts {
  readonly attempts: ChangeAttempts;
  readonly histories: FundingHistoryReader;
  readonly advances: OwnerAdvances;
  readonly store: Pick<EventStore, 'append'>;
  readonly clock: Clock;
}

/** Applies what payouts of the provider have become, also those that come back days after they were paid. */
export class PayoutChanges {
  constructor(private readonly parts: PayoutChangesParts) {}

  /** Resolves when the log has what follows from the payout. Errors: those of `ChangeAttempts` and of the ledger. */
  apply(key: string, leastVersion?: number): Promise<'applied' | Contradiction> {
    return this.parts.attempts.untilApplied('payout', key, (object) => this.#decide(key, object), leastVersion);
  }

  async #decide(id: string, object: ProviderPayout): Promise<ChangeVerdict> {
    const { histories, advances, store, clock } = this.parts;
    const ref = { kind: 'withdrawal', id } as const;
    const { funding, revision } = await histories.read(ref);
    if (funding.kind !== 'withdrawal' || funding.state.status === 'none') {
      return { kind: 'contradiction', contradiction: 'unknown_key' };
    }
    const { state } = funding;
    const { userId, amountCents } = state.facts;
    const result = payoutResult(moneyOf(object), { amountCents, isMissingFinal: false });
    const intent = result.kind === 'contradiction' ? null : lostPayoutIntent(funding, clock.nowUs());
    if (intent !== null) {
      await appendToFunding(store, [{ ...ref, event: intent }], revision);
      return AGAIN;
    }
    const step = payoutChange(state, result);
    if (step.kind === 'contradiction') return step;
    if (step.kind === 'advance') {
      // The stream decides, and any instance may append to it; the wallet's owner follows.
      const events = payoutAnswer(state, result, clock.nowUs()).map((event) => ({ ...ref, event }));
      await appendToFunding(store, events, revision);
      return AGAIN;
    }
    // The provider has not decided, or the wallet has what follows from its decision.
    if (result.kind === 'pending' || fundingActOf(funding) === null) return APPLIED;
    await advances.advanceFunding(ref, userId);
    return AGAIN;
  }
}
