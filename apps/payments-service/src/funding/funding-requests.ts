import { Semaphore, settlesWithin } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError, type FundingItem } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { FundingQuery } from '../read-models/funding/funding-query.js';
import { fundingItemOf } from '../read-models/funding/funding-item.js';
import { fundingRowOf } from '../read-models/funding/funding-row.js';
import type { Clock } from '../storage/clock.js';
import { orUnavailable } from '../storage/database-unavailable.js';
import type { FundingEvent } from '../storage/streams.js';
import { computeGiveUpAtMs } from '../transfer/give-up-at.js';
import type { FundingAdmission } from '../transfer/refuse-funding.js';
import { NO_TIMEOUTS, afterWait, mayWait } from '../transfer/wait-breaker.js';
import { errorOfFirstAppend, notYet, orUnknownOutcome, otherContent } from './funding-errors.js';
import type { FundingHistory, FundingHistoryReader } from './funding-history.js';
import type { FundingRunner } from './funding-runner.js';

const { fundingWaits } = LIMITS.payments;

/** A deposit or withdrawal by kind and id. */
interface UnitRef {
  readonly kind: 'deposit' | 'withdrawal';
  readonly id: string;
}

export interface FundingRequestsParts {
  readonly runner: FundingRunner;
  readonly histories: FundingHistoryReader;
  readonly query: FundingQuery;
  readonly awaitProjection: (position: number) => Promise<unknown>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a command waits for the provider. */
  readonly waitMs: number;
  readonly gate: FundingAdmission;
}

/** The terms with which a stored deposit or withdrawal was requested. */
export interface RequestedFunding {
  readonly userId: string;
  readonly amountCents: number;
  readonly sourceId: string;
}

/** Stores what users request, waits for the provider for a bounded time, and answers with what is stored then. */
export class FundingRequests {
  /** Taken until the provider has answered; for further ones the worker asks. */
  readonly #places = new Semaphore({ slots: fundingWaits, waiting: 0 });
  #breaker = NO_TIMEOUTS;

  constructor(private readonly parts: FundingRequestsParts) {}

  /** Whether it was requested before. Errors: `service_unavailable`. */
  async exists(ref: UnitRef): Promise<boolean> {
    const { funding } = await orUnavailable(this.parts.histories.read(ref));
    return funding.state.status !== 'none';
  }

  /**
   * Stores the first event of a stream. Returns its log position, or null if the stream has a first event. Errors:
   * `service_unavailable` if nothing is stored, also because the caller has given up; `outcome_unknown`.
   */
  async store(first: FundingEvent, beginBeforeMs: number): Promise<number | null> {
    if (!this.parts.gate.mayBegin()) throw notYet();
    if (Date.now() > computeGiveUpAtMs(beginBeforeMs)) {
      throw new SettleError(
        'service_unavailable',
        'It could not be stored in time, so nothing was begun. Send it again.',
      );
    }
    try {
      return await this.parts.runner.store(first);
    } catch (error) {
      throw errorOfFirstAppend(error);
    }
  }

  /**
   * Advances a stored deposit or withdrawal and returns it. Errors: `not_permitted` if it was requested otherwise,
   * `outcome_unknown`.
   * @param isSame whether it is what the caller requests
   * @param untilMs Unix time in ms after which it does not wait
   */
  async respond(ref: UnitRef, isSame: (facts: RequestedFunding) => boolean, untilMs: number): Promise<FundingItem> {
    const { histories, awaitProjection } = this.parts;
    const facts = factsOf(await orUnknownOutcome(histories.read(ref)));
    if (facts === null || !isSame(facts)) throw otherContent();
    await this.#advance(ref, untilMs);
    const history = await orUnknownOutcome(histories.read(ref));
    await awaitProjection(Math.max(history.position, history.wallet?.position ?? 0));
    return orUnknownOutcome(this.#itemOf(ref, history));
  }

  /** Error: `service_unavailable` if no command may end a deposit or withdrawal now. */
  refuseUnlessEndable(): void {
    if (!this.parts.gate.mayEnd()) throw notYet();
  }

  /** Resolves after the calls in progress. */
  async stop(): Promise<void> {
    await this.#places.idle();
  }

  async #advance(ref: UnitRef, untilMs: number): Promise<void> {
    if (!this.#places.tryAcquire()) return;
    const { runner, logger, waitMs } = this.parts;
    const advancing = runner
      .advance(ref)
      .then(() => undefined)
      .catch((err: unknown) => logger.warn({ err, ...ref }, 'funding not advanced; the worker continues'))
      .finally(() => this.#places.release());
    const nowMs = Date.now();
    const patienceMs = Math.min(waitMs, untilMs - nowMs);
    if (patienceMs <= 0 || !mayWait(this.#breaker, nowMs)) return;
    const isInTime = await settlesWithin(advancing, patienceMs);
    this.#breaker = afterWait(this.#breaker, !isInTime, Date.now());
  }

  async #itemOf({ kind, id }: UnitRef, { funding }: FundingHistory): Promise<FundingItem> {
    const { query, clock } = this.parts;
    const row = fundingRowOf(funding, 0);
    if (row === null || row.amountCents === null) throw new Error(`The ${kind} ${id} has no amount`);
    const page = kind === 'deposit' ? await query.findPage(id, clock.nowUs()) : null;
    return fundingItemOf({ ...row, kind, amountCents: row.amountCents, page });
  }
}

function factsOf({ funding }: FundingHistory): RequestedFunding | null {
  const { kind, state } = funding;
  return kind === 'reversal' || state.status === 'none' || state.status === 'accepted' ? null : state.facts;
}
