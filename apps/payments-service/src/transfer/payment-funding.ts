import { Semaphore, withTimeout } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { Contradiction } from '@settle/payments-domain';
import type { Clock } from '../storage/clock.js';
import { askProvider, type FundingProvider } from './provider-calls.js';
import type { TransferCoordinator } from './transfer-coordinator.js';
import type { FundingCall } from './transfer-progress.js';
import type { TransferResult } from './transfer-runner.js';
import type { WalletOwnership } from './wallet-ownership.js';
import { NO_TIMEOUTS, afterWait, mayWait } from './wait-breaker.js';

const { fundingWaits, fundingRounds, fundingCallsAtOnce } = LIMITS.payments;

export interface PaymentFundingParts {
  readonly provider: FundingProvider;
  readonly transfers: TransferCoordinator;
  readonly ownership: WalletOwnership;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a command waits for the provider. */
  readonly waitMs: number;
  /** How long a charge may stay pending before the provider is asked to cancel it. */
  readonly pendingUs: number;
  /** Stores and logs an answer that contradicts the ledger. */
  readonly recordContradiction: (key: string, contradiction: Contradiction) => Promise<void>;
}

class WaitTimedOut extends Error {}

/**
 * Asks the provider for payments whose charge or repayment it has not answered, and advances each by the answer. The
 * request is stored before: whatever is lost here, the worker asks again. Nothing of a payment is locked meanwhile.
 */
export class PaymentFunding {
  /** Taken by what commands and other instances begin, until the provider has answered; the worker has places of its own. */
  readonly #places = new Semaphore({ slots: fundingWaits, waiting: 0 });
  #breaker = NO_TIMEOUTS;
  #isStopped = false;

  constructor(private readonly parts: PaymentFundingParts) {}

  /**
   * Waits for the provider, for a bounded time, and returns the payment as it is then. Errors: those of the ledger, if they
   * come within the wait.
   * @param untilMs Unix time in ms after which the command does not wait
   */
  async settle(stored: TransferResult, untilMs: number): Promise<TransferResult> {
    const asking = this.#begin(stored);
    const nowMs = Date.now();
    const waitMs = Math.min(this.parts.waitMs, untilMs - nowMs);
    // An end is an end whatever the provider says about its charge.
    const isAwaited = stored.calls.some((call) => call.kind === 'repay' || call.isEnded !== true);
    if (asking === null || !isAwaited || waitMs <= 0 || !mayWait(this.#breaker, nowMs)) return stored;
    try {
      const result = await withTimeout(asking, waitMs, () => new WaitTimedOut());
      this.#breaker = afterWait(this.#breaker, false, Date.now());
      return result;
    } catch (error) {
      if (!(error instanceof WaitTimedOut)) throw error;
      this.#breaker = afterWait(this.#breaker, true, Date.now());
      return stored;
    }
  }

  /** Asks without a wait, if a place is free; otherwise the worker asks. */
  askSoon(stored: TransferResult): void {
    void this.#begin(stored);
  }

  /**
   * Advances a payment now and asks the provider about its wallets of this instance. Resolves when everything that the
   * provider answers is stored. Errors: those of `TransferCoordinator.advance`.
   */
  async advanceNow(paymentId: string): Promise<TransferResult> {
    const result = await this.#ask(await this.parts.transfers.advance(paymentId, null));
    this.parts.transfers.remindOwners(result);
    return result;
  }

  /**
   * Advances a payment because the provider has changed something of this wallet, whichever instance owns it. Resolves when
   * it is stored, or requested from the owner. Errors as `advanceNow`.
   */
  async followChange(paymentId: string, walletId: string): Promise<void> {
    const { ownership } = this.parts;
    if (ownership.owns(walletId)) await this.advanceNow(paymentId);
    else await ownership.requestSteps(paymentId, walletId);
  }

  /** Resolves after the calls in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#places.idle();
  }

  /** Returns null if there is nothing to ask, or no place free. An error is logged for callers that do not wait. */
  #begin(stored: TransferResult): Promise<TransferResult> | null {
    if (stored.calls.length === 0 || this.#places.isQueueFull) return null;
    const asking = this.#places.acquire().then(() => this.#ask(stored));
    void asking
      .catch((err: unknown) => {
        const { paymentId } = stored;
        this.parts.logger.warn({ err, paymentId }, 'answer of the provider not stored; the worker asks again');
      })
      .finally(() => this.#places.release());
    return asking;
  }

  /** Makes all calls of the payment, and those that follow from their answers, each once. */
  async #ask(stored: TransferResult): Promise<TransferResult> {
    let newest = stored;
    const asked = new Set<string>();
    for (let round = 0; round < fundingRounds && !this.#isStopped; round += 1) {
      const calls = newest.calls.filter((call) => !asked.has(nameOf(call))).slice(0, fundingCallsAtOnce);
      if (calls.length === 0) return newest;
      await Promise.all(
        calls.map(async (call) => {
          asked.add(nameOf(call));
          const result = await this.#advanceByAnswer(stored.paymentId, call);
          // Advances of a payment run one after the other: the one that ends last has the newest state.
          if (result !== null) newest = { ...result, position: Math.max(result.position, newest.position) };
        }),
      );
    }
    return newest;
  }

  /** Returns null if the provider has not decided. */
  async #advanceByAnswer(paymentId: string, call: FundingCall): Promise<TransferResult | null> {
    const { transfers, recordContradiction } = this.parts;
    const outcome = await askProvider(this.parts, call);
    if (outcome.kind === 'decided') return transfers.advance(paymentId, null, { fundingResult: outcome.result });
    if (outcome.kind === 'contradiction') await recordContradiction(call.key, outcome.contradiction);
    return null;
  }
}

/** The end of its payment changes how a charge is asked for. */
function nameOf(call: FundingCall): string {
  return call.kind === 'charge' && call.isEnded === true ? `${call.key}/ended` : call.key;
}
