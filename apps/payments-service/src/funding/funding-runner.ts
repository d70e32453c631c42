import { KeyedMutex } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { NO_STREAM, type EventStore } from '@settle/event-store';
import {
  nextFundingStep,
  nextReversalStep,
  type Contradiction,
  type WalletCommand,
  type WithdrawalEvent,
} from '@settle/payments-domain';
import type { Clock } from '../storage/clock.js';
import type { FundingEvent } from '../storage/streams.js';
import type { FundingProvider } from '../transfer/provider-calls.js';
import type { WalletCache } from '../transfer/wallet-cache.js';
import type { FundingRef } from '../read-models/funding/funding-unit.js';
import { answerEvents, askAboutFunding, type FundingUnitCall } from './funding-answers.js';
import type { FundingHistory, FundingHistoryReader } from './funding-history.js';
import { appendToFunding, appendToWallet } from './funding-appends.js';

const { appendTries } = LIMITS.payments;
/** More appends and calls than a deposit, withdrawal or reversal needs, conflicts with other writers included. */
const MOST_STEPS = 4 * appendTries;

export interface FundingRunnerParts {
  readonly store: EventStore;
  readonly histories: FundingHistoryReader;
  readonly wallets: WalletCache;
  readonly provider: FundingProvider;
  readonly clock: Clock;
  /** Whether the user is frozen now. */
  readonly isFrozen: (userId: string) => Promise<boolean>;
  /** Whether a withdrawal may end now without the provider: until everything before a restore is known, it may be paid. */
  readonly mayEnd: () => boolean;
  /** How long a charge may stay pending before the provider is asked to cancel it. */
  readonly pendingUs: number;
  /** Takes in the answer to a payment's charge, so that its reversal can follow. */
  readonly advanceCharge: (paymentId: string, walletId: string) => Promise<void>;
  /** Stores an answer that contradicts the ledger. */
  readonly recordContradiction: (key: string, contradiction: Contradiction) => Promise<void>;
}

/** `done`: nothing is left to do now. `call`: the provider is to be asked. `again`: read it again. */
type Progress =
  | { readonly kind: 'done' }
  | { readonly kind: 'review' }
  | { readonly kind: 'again' }
  | { readonly kind: 'call'; readonly call: FundingUnitCall }
  | { readonly kind: 'charge-first'; readonly paymentId: string | null; readonly fundingId: string | null };

/** The state of a deposit, withdrawal or reversal and its next wait: `provider` until the next request, `review` for an operator. */
export interface FundingAdvance {
  /** Read after the last append. */
  readonly history: FundingHistory;
  readonly waitsFor: 'provider' | 'review' | 'charge' | null;
  /** When the provider must have begun; set while it waits for the provider. */
  readonly beginBeforeUs: number | null;
}

/**
 * Advances deposits, withdrawals and reversals on wallets of this instance. Every prefix of what it appends is finished by
 * the next advance, here or elsewhere: the intent of each call is stored before it, and an append at the revision read is
 * stored once. Nothing is locked while the provider is asked.
 */
export class FundingRunner {
  readonly #exclusive = new KeyedMutex();

  constructor(private readonly parts: FundingRunnerParts) {}

  /**
   * Stores the first event of a stream, unless it has one, and advances it. The caller compares the stored facts with its
   * own: the id may belong to another request. Errors: those of the store, the database and `advance`.
   */
  async begin(first: FundingEvent): Promise<FundingAdvance> {
    await this.store(first);
    return this.advance(first);
  }

  /** Stores the first event of a stream. Returns its log position, or null if the stream has one. Errors: the store's. */
  store(first: FundingEvent): Promise<number | null> {
    return appendToFunding(this.parts.store, [first], NO_STREAM);
  }

  /**
   * Advances until nothing is left to do now, or the provider has not decided. Errors: those of the store and the database;
   * it changes too often.
   */
  async advance(ref: FundingRef): Promise<FundingAdvance> {
    let hasAsked = false;
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const { history, progress } = await this.#exclusive.run(`${ref.kind}/${ref.id}`, () => this.#step(ref));
      if (progress.kind === 'again') continue;
      if (progress.kind === 'done') return { history, waitsFor: null, beginBeforeUs: null };
      if (progress.kind === 'review') return { history, waitsFor: 'review', beginBeforeUs: null };
      if (progress.kind === 'charge-first') {
        if (hasAsked) return { history, waitsFor: 'charge', beginBeforeUs: null };
        await this.#takeInCharge(history, progress);
      } else {
        const { call } = progress;
        const isDecided = !hasAsked && (await this.#ask(ref, call));
        if (!isDecided) return { history, waitsFor: 'provider', beginBeforeUs: call.beginBeforeUs };
      }
      hasAsked = true;
    }
    throw new Error(`The ${ref.kind} ${ref.id} changes too often`);
  }

  /** Reads the stream and the wallet, and appends the next step. */
  async #step(ref: FundingRef): Promise<{ history: FundingHistory; progress: Progress }> {
    const history = await this.parts.histories.read(ref);
    const progress = await (history.funding.kind === 'reversal'
      ? this.#reversalStep(history, history.funding)
      : this.#fundingStep(history, history.funding));
    return { history, progress };
  }

  async #fundingStep(
    history: FundingHistory,
    funding: Exclude<FundingHistory['funding'], { kind: 'reversal' }>,
  ): Promise<Progress> {
    const { state } = funding;
    const userId = state.status === 'none' || state.status === 'accepted' ? null : state.facts.userId;
    const isOwnerFrozen = userId !== null && (await this.parts.isFrozen(userId));
    const { heldCents } = history;
    const context = { atUs: this.parts.clock.nowUs(), isFrozen: () => isOwnerFrozen, heldCents };
    const step = nextFundingStep(funding, context);
    switch (step.kind) {
      case 'idle':
        return { kind: step.status };
      case 'reload':
        return { kind: 'again' };
      case 'charge':
      case 'payout':
        return { kind: 'call', call: step };
      case 'deposit':
        return this.#appendToStream(history, [{ kind: 'deposit', id: funding.id, event: step.event }]);
      case 'withdrawal':
        return this.#appendToWithdrawal(history, funding.id, step.event);
      case 'wallet': {
        const isCovered = await this.#appendToWallet(history, step.walletId, step.command);
        if (isCovered || step.ifNotCovered === null) return { kind: 'again' };
        return this.#appendToWithdrawal(history, funding.id, step.ifNotCovered);
      }
    }
  }

  async #reversalStep(
    history: FundingHistory,
    { id, state, steps }: Extract<FundingHistory['funding'], { kind: 'reversal' }>,
  ): Promise<Progress> {
    const charge = state.status === 'none' ? undefined : steps.charges.get(state.facts.chargeKey);
    const step = nextReversalStep(id, { state, charge }, this.parts.clock.nowUs());
    if (step.kind === 'idle' || state.status === 'none') return { kind: 'done' };
    if (step.kind === 'charge-first') {
      const { paymentId, fundingId } = state.facts;
      return { kind: 'charge-first', paymentId, fundingId };
    }
    await this.#appendToWallet(history, step.walletId, step.command);
    return { kind: 'again' };
  }

  /** The charge's own answer comes first: only money that is in the wallet can be taken back. */
  async #takeInCharge(
    { funding }: FundingHistory,
    { paymentId, fundingId }: Extract<Progress, { kind: 'charge-first' }>,
  ): Promise<void> {
    if (fundingId !== null) await this.advance({ kind: 'deposit', id: fundingId });
    else if (paymentId !== null && funding.kind === 'reversal' && funding.state.status !== 'none') {
      await this.parts.advanceCharge(paymentId, funding.state.facts.userId);
    }
  }

  /** Asks the provider and appends what its answer leads to. Returns whether it decided. */
  async #ask(ref: FundingRef, call: FundingUnitCall): Promise<boolean> {
    const { clock, recordContradiction } = this.parts;
    const result = await askAboutFunding(this.parts, call);
    if (result.kind === 'pending') return false;
    if (result.kind === 'contradiction') {
      await recordContradiction(call.key, result.contradiction);
      return false;
    }
    await this.#exclusive.run(`${ref.kind}/${ref.id}`, async () => {
      const history = await this.parts.histories.read(ref);
      const events = answerEvents(history, result, clock.nowUs());
      await this.#appendToStream(history, events);
    });
    return true;
  }

  async #appendToWithdrawal(history: FundingHistory, id: string, event: WithdrawalEvent): Promise<Progress> {
    if (event.type === 'WithdrawalCancelled' && !this.parts.mayEnd()) return { kind: 'done' };
    return this.#appendToStream(history, [{ kind: 'withdrawal', id, event }]);
  }

  async #appendToStream({ revision }: FundingHistory, events: readonly FundingEvent[]): Promise<Progress> {
    await appendToFunding(this.parts.store, events, revision);
    return { kind: 'again' };
  }

  /** Returns false if the wallet does not cover the command. After a conflict the caller reads again. */
  #appendToWallet({ wallet }: FundingHistory, walletId: string, command: WalletCommand): Promise<boolean> {
    if (wallet === null) throw new Error(`The wallet ${walletId} was not read`);
    return appendToWallet(this.parts, wallet, walletId, command);
  }
}
