import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { SettleError, idTimeMs, derivePaymentId } from '@settle/contracts';
import { RevisionConflict, type EventStore } from '@settle/event-store';
import { startSpan } from '@settle/observability';
import { fundingCalls, type ExistingPayment, type PaymentCreated, type StepContext } from '@settle/payments-domain';
import { KeyedMutex } from '@settle/concurrency';
import { orUnavailable, orUnknown } from '../storage/database-unavailable.js';
import { settleErrorOfAppend } from './append-errors.js';
import { applyFundingResult, callFundingSource, type FundingResult, type FundingSources } from './funding.js';
import { refuseUnlessAdmitted, type FundingAdmission } from './refuse-funding.js';
import { loadTransfer, type LoadDependencies, type LoadRequest } from './transfer-loader.js';
import {
  NO_HISTORY,
  TransferProgress,
  isFundingCall,
  type FundingCall,
  type NextWait,
  type TransferAction,
} from './transfer-progress.js';

const { appendTries } = LIMITS.payments;
const LONGEST_JITTER_MS = 8;
const MOST_LOADS = 64;

/** A payment after its newest stored append. */
export interface TransferResult {
  readonly paymentId: string;
  readonly payment: ExistingPayment;
  /** A read model that has reached this log position shows the payment in this state. */
  readonly position: number;
  /** Balances in cents after the last append, by wallet; wallets that it did not change are missing. */
  readonly balances: ReadonlyMap<string, number>;
  /** Wallet of the next step if another instance owns it; null if nothing is left to do now. */
  readonly waitsForWalletId: string | null;
  /** Action to apply after that owner's steps. */
  readonly action: TransferAction | null;
  /** Calls to the provider, for this instance's wallets, that the payment waits for. */
  readonly calls: readonly FundingCall[];
  /** Every wallet whose call the provider has not answered, including those of other instances. */
  readonly unansweredWalletIds: readonly string[];
}

/** A payment to create. */
export interface NewPayment {
  readonly paymentId: string;
  readonly created: PaymentCreated;
  /** Verified funding source of the payer at creation. */
  readonly sourceId: string | null;
  /** Unix time in ms after which nothing is stored: the caller may already have been answered that nothing was. */
  readonly giveUpAtMs: number;
  /** W3C `traceparent` of the enclosing span; absent if the command is not traced. */
  readonly traceparent?: string | undefined;
}

export interface TransferRunnerDependencies extends LoadDependencies {
  readonly store: EventStore;
  /** Called where no provider is set. */
  readonly funding: FundingSources;
  readonly gate: FundingAdmission | null;
  /** Waits, within bounds, until the read models have reached a log position. */
  readonly awaitProjection: (position: number, traceparent: string | undefined) => Promise<unknown>;
}

interface AdvanceRequest extends LoadRequest {
  readonly action: TransferAction | null;
  readonly fundingResult: FundingResult | null;
  readonly traceparent: string | undefined;
}

export type AdvanceOptions = Partial<Omit<AdvanceRequest, 'action'>>;

const NO_REQUEST: AdvanceRequest = {
  action: null,
  walletIds: [],
  fundingResult: null,
  position: 0,
  requestedWalletId: null,
  traceparent: undefined,
};

/**
 * Advances payments on the wallets of this instance: loads, decides with the pure domain, appends, and retries when
 * another writer was faster.
 */
export class TransferRunner {
  readonly #payments = new KeyedMutex();

  constructor(private readonly dependencies: TransferRunnerDependencies) {}

  /**
   * Creates a payment and advances it. The same command again finds the payment that it created.
   * Errors: `service_unavailable` if nothing is stored, `outcome_unknown` if something may be.
   */
  async create(payment: NewPayment): Promise<TransferResult> {
    const { commandId } = payment.created.data;
    for (let draw = 0; draw < appendTries; draw += 1) {
      // Where the id belongs to another command's payment. The same command draws the same ids whenever it is repeated.
      const paymentId = draw === 0 ? payment.paymentId : derivePaymentId(idTimeMs(payment.paymentId), commandId, draw);
      const result = await this.#exclusively(paymentId, () => this.#create({ ...payment, paymentId }));
      if (result !== 'id taken') return result;
    }
    throw notBegun();
  }

  /** Completes what is left of a payment, then applies `action`. Errors as `create`, and what `decide` throws. */
  advance(paymentId: string, action: TransferAction | null, options: AdvanceOptions = {}): Promise<TransferResult> {
    const walletIds = [...(options.walletIds ?? []), ...(action?.walletIds ?? [])];
    const request = { ...NO_REQUEST, ...options, action, walletIds };
    return this.#exclusively(paymentId, () => this.#advance(paymentId, request));
  }

  #exclusively<Result>(paymentId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#payments.run(paymentId, () => orUnknown(paymentId, work()));
  }

  async #create({ paymentId, created, sourceId, ...rest }: NewPayment): Promise<TransferResult | 'id taken'> {
    const { owns, wallets, histories, usesProvider } = this.dependencies;
    const { traceparent } = rest;
    const { actorId, target, commandId, atUs } = created.data;
    const parties = [...new Set([actorId, target.userId ?? actorId])];
    const walletIds = parties.filter((walletId) => walletId === actorId || owns(walletId));
    for (let attempt = 1; attempt <= appendTries; attempt += 1) {
      await orUnavailable(wallets.load(walletIds));
      if (Date.now() > rest.giveUpAtMs) break;
      const tails = wallets.tailsOf(walletIds);
      // A conflict of another payment may have evicted one wallet while the other was loading.
      if (tails.size < walletIds.length) continue;
      const progress = new TransferProgress(paymentId, { ...NO_HISTORY, tails });
      progress.apply({ kind: 'payment', event: created });
      const context: StepContext = { sourceIdOf: () => sourceId, atUs, usesProvider };
      const wait = progress.advance(context);
      const position = await this.#append(progress, traceparent);
      const request = { ...NO_REQUEST, walletIds: [actorId], traceparent };
      if (position !== null) return this.#resume(progress, { wait, context }, { ...request, position });
      const { payment } = await histories.readPayment(paymentId);
      if (payment.status !== 'none') {
        return payment.facts.commandId === commandId ? this.#advance(paymentId, request) : 'id taken';
      }
      await jitter(attempt);
    }
    throw notBegun();
  }

  async #advance(paymentId: string, request: AdvanceRequest): Promise<TransferResult> {
    const { action, fundingResult, traceparent } = request;
    let attempt = 1;
    for (let loads = 0; attempt <= appendTries && loads < MOST_LOADS; loads += 1) {
      const { history, context, rebase } = await loadTransfer(this.dependencies, paymentId, request);
      // From here to the append nothing may be awaited: other payments decide on the same wallets.
      const tails = rebase();
      if (tails === null) continue;
      const progress = new TransferProgress(paymentId, { ...history, tails });
      if (fundingResult !== null) applyFundingResult(progress, fundingResult, context.atUs);
      let wait = progress.advance(context);
      // A provider may take days to answer, and no action waits for it.
      const isDue = action !== null && (wait.kind === 'rest' || (context.usesProvider === true && isFundingCall(wait)));
      const refusal = isDue ? refusalOf(progress, action, context) : null;
      if (isDue && refusal === null) wait = progress.advance(context);
      const storedPosition = await this.#append(progress, traceparent);
      if (storedPosition === null) {
        await jitter(attempt);
        attempt += 1;
        continue;
      }
      const position = Math.max(storedPosition, request.position);
      if (refusal !== null) {
        // A read after this error must show the state that the error is about.
        await this.dependencies.awaitProjection(position, traceparent);
        throw refusal;
      }
      const left = { ...request, action: isDue ? null : action, fundingResult: null, position };
      return this.#resume(progress, { wait, context }, left);
    }
    throw new SettleError(
      'outcome_unknown',
      `Payment ${paymentId} changes too often. Read it before you send it again.`,
    );
  }

  /** After an append: where no provider is set, calls the funding source if one is due and advances with its result. */
  async #resume(
    progress: TransferProgress,
    { wait, context }: { readonly wait: NextWait; readonly context: StepContext },
    request: AdvanceRequest,
  ): Promise<TransferResult> {
    const { paymentId } = progress;
    const { usesProvider = false } = context;
    if (!usesProvider && isFundingCall(wait)) {
      const fundingResult = await callFundingSource(this.dependencies.funding, paymentId, wait);
      return this.#advance(paymentId, { ...request, fundingResult });
    }
    const { payment } = progress.transfer;
    if (payment.status === 'none') throw new SettleError('resource_not_found', 'There is no such payment.');
    const balances = new Map(progress.changedTails().map(([walletId, { balanceCents }]) => [walletId, balanceCents]));
    const waitsForWalletId = wait.kind === 'other owner' ? wait.walletId : null;
    const { action, position } = request;
    const unanswered = usesProvider && wait.kind !== 'rest' ? fundingCalls(progress.transfer, context) : [];
    const calls = unanswered.filter(({ walletId }) => progress.tails.has(walletId));
    const unansweredWalletIds = unanswered.map(({ walletId }) => walletId);
    return { paymentId, payment, position, balances, waitsForWalletId, action, calls, unansweredWalletIds };
  }

  /**
   * Appends the unit and returns the log position that shows it, or null after a conflict. The cache has the decided
   * wallets before the append, so that the next decision builds on them.
   */
  async #append(progress: TransferProgress, parent: string | undefined): Promise<number | null> {
    if (progress.unit.length === 0) return progress.history.position;
    refuseUnlessAdmitted(this.dependencies.gate, progress);
    const { wallets, store } = this.dependencies;
    const { paymentId } = progress;
    const changed = progress.changedTails();
    for (const [walletId, tail] of changed) {
      wallets.recordDecision(walletId, tail, { paymentId, steps: progress.stepsOf(walletId) });
    }
    const span = startSpan('append', { kind: 'internal', parent, attributes: { 'settle.payment_id': paymentId } });
    try {
      // No other await in between: after a failure the decided wallets must be evicted before the next decision.
      const { position } = await store.append(progress.unit);
      for (const [walletId] of changed) wallets.recordStored(walletId, paymentId, position);
      return position;
    } catch (error) {
      for (const [walletId] of changed) wallets.evict(walletId);
      if (error instanceof RevisionConflict) return null;
      throw settleErrorOfAppend(error, progress);
    } finally {
      span?.end();
    }
  }
}

function refusalOf(progress: TransferProgress, action: TransferAction, context: StepContext): unknown {
  try {
    const step = action.decide(progress, context);
    if (step !== null) progress.apply(step);
    return null;
  } catch (error) {
    return error;
  }
}

function notBegun(): SettleError {
  const message = 'The payment could not be created in time, and nothing was stored. Send it again.';
  return new SettleError('service_unavailable', message);
}

function jitter(attempt: number): Promise<void> {
  return pause(Math.random() * Math.min(2 ** attempt, LONGEST_JITTER_MS));
}
