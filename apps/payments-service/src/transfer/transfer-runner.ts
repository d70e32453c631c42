import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { SettleError, idTimeMs, derivePaymentId } from '@settle/contracts';
import { fundingCalls, type ExistingPayment, type StepContext } from '@settle/payments-domain';
import { KeyedMutex } from '@settle/concurrency';
import { orUnavailable, orUnknown, unknownUnlessDecided } from '../storage/database-unavailable.js';
import { appendProgress } from './append-progress.js';
import { applyFundingResult, callFundingSource, type FundingSources } from './funding.js';
import { readOrphanAttempts } from './orphan-attempts.js';
import type { FundingAdmission } from './refuse-funding.js';
import { loadTransfer, type LoadDependencies } from './transfer-loader.js';
import {
  NO_REQUEST,
  OUTDATED,
  type AdvanceOptions,
  type AdvanceRequest,
  type NewPayment,
  type Tried,
} from './transfer-requests.js';
import {
  NeedsSourceTurn,
  attemptInTurn,
  contextInTurn,
  neededTurn,
  type SourceTurn,
  type TakeSourceTurn,
} from './source-turn.js';
import {
  NO_HISTORY,
  TransferProgress,
  isFundingCall,
  refusalOf,
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

export interface TransferRunnerDependencies extends LoadDependencies {
  /** Called where no provider is set. */
  readonly funding: FundingSources;
  /** Null where no provider is set: sources have no limits. */
  readonly takeSourceTurn: TakeSourceTurn | null;
  /** Null where no provider is set. */
  readonly gate: FundingAdmission | null;
  /** Waits, within bounds, until the read models have reached a log position. */
  readonly beforeResponse: (position: number, traceparent: string | undefined) => Promise<unknown>;
}

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
    throw tooLate('created');
  }

  /**
   * Completes what is left of a payment, then applies `action`. Errors: what `decide` throws; `service_unavailable` only if
   * nothing of the action is stored; `outcome_unknown`, always without an action, since its caller may have created it.
   */
  advance(paymentId: string, action: TransferAction | null, options: AdvanceOptions = {}): Promise<TransferResult> {
    const walletIds = [...(options.walletIds ?? []), ...(action?.walletIds ?? [])];
    const request = { ...NO_REQUEST, ...options, action, walletIds };
    return this.#exclusively(paymentId, () => this.#advance(paymentId, request));
  }

  #exclusively<Result>(paymentId: string, work: () => Promise<Result>): Promise<Result> {
    return this.#payments.run(paymentId, () => orUnknown(paymentId, work()));
  }

  async #create(payment: NewPayment): Promise<TransferResult | 'id taken'> {
    const { owns, wallets, histories, takeSourceTurn } = this.dependencies;
    const { paymentId, created, traceparent, giveUpAtMs } = payment;
    const { actorId, target, commandId } = created.data;
    const parties = [...new Set([actorId, target.userId ?? actorId])];
    const walletIds = parties.filter((walletId) => walletId === actorId || owns(walletId));
    for (let attempt = 1; attempt <= appendTries; attempt += 1) {
      await orUnavailable(wallets.load(walletIds));
      if (Date.now() > giveUpAtMs) break;
      const tried = await attemptInTurn(takeSourceTurn, (turn) => this.#tryCreate(payment, walletIds, turn));
      if (tried instanceof NeedsSourceTurn || tried.isOutdated) continue;
      const { progress, wait, context, position } = tried;
      const request = { ...NO_REQUEST, walletIds: [actorId], traceparent };
      if (position !== null) return this.#resume(progress, { wait, context }, { ...request, position });
      const { payment: stored } = await histories.readPayment(paymentId);
      if (stored.status !== 'none') {
        return stored.facts.commandId === commandId ? this.#advance(paymentId, request) : 'id taken';
      }
      await jitter(attempt);
    }
    throw tooLate('created');
  }

  async #tryCreate(
    { paymentId, created, sourceId, traceparent, giveUpAtMs }: NewPayment,
    walletIds: readonly string[],
    turn: SourceTurn | null,
  ): Promise<Tried | NeedsSourceTurn> {
    const { wallets, store, usesProvider } = this.dependencies;
    const charged = turn === null ? null : { paymentId, userId: turn.userId, attempt: 0 };
    const orphans = charged === null ? {} : await orUnavailable(readOrphanAttempts(store, charged));
    if (turn !== null) await orUnavailable(wallets.load(walletIds));
    if (Date.now() > giveUpAtMs) throw tooLate('created');
    const tails = wallets.tailsOf(walletIds);
    // A conflict of another payment may have evicted one wallet while the other was loading.
    if (tails.size < walletIds.length) return OUTDATED;
    const progress = new TransferProgress(paymentId, { ...NO_HISTORY, tails, causationId: created.data.commandId });
    progress.apply({ kind: 'payment', event: created });
    const context = contextInTurn(
      { sourceIdOf: () => sourceId, atUs: created.data.atUs, usesProvider, ...orphans },
      turn,
    );
    const wait = progress.advance(context);
    const needed = neededTurn(progress, turn);
    if (needed !== null) return needed;
    return { isOutdated: false, progress, wait, context, position: await this.#append(progress, traceparent) };
  }

  async #advance(paymentId: string, request: AdvanceRequest): Promise<TransferResult> {
    const { action, traceparent } = request;
    const { takeSourceTurn } = this.dependencies;
    let attempt = 1;
    let isPartlyStored = action === null;
    for (let loads = 0; attempt <= appendTries && loads < MOST_LOADS; loads += 1) {
      const trying = attemptInTurn(takeSourceTurn, (turn) => this.#tryAdvance(paymentId, request, turn));
      const tried = await (isPartlyStored ? unknownUnlessDecided(paymentId, trying) : trying);
      if (tried instanceof NeedsSourceTurn || tried.isOutdated) continue;
      const { progress, wait, context, isDue = false, refusal = null } = tried;
      if (tried.position === null) {
        // The store may keep the first appends of a unit that ended in a conflict.
        isPartlyStored = true;
        await jitter(attempt);
        attempt += 1;
        continue;
      }
      const position = Math.max(tried.position, request.position);
      if (refusal !== null) {
        // A read after this error must show the state that the error is about.
        await this.dependencies.beforeResponse(position, traceparent);
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

  async #tryAdvance(
    paymentId: string,
    request: AdvanceRequest,
    turn: SourceTurn | null,
  ): Promise<Tried | NeedsSourceTurn> {
    const { action, fundingResult, traceparent } = request;
    const { history, context: loaded, rebase } = await loadTransfer(this.dependencies, paymentId, request, turn);
    // From here to the append nothing may be awaited: other payments decide on the same wallets.
    const tails = rebase();
    if (tails === null) return OUTDATED;
    if (action !== null && Date.now() > request.giveUpAtMs) throw tooLate('changed');
    const context = contextInTurn(loaded, turn);
    const progress = new TransferProgress(paymentId, { ...history, tails });
    if (fundingResult !== null) applyFundingResult(progress, fundingResult, context.atUs);
    let wait = progress.advance(context);
    // A provider may take days to answer, and no action waits for it.
    const isDue = action !== null && (wait.kind === 'idle' || (context.usesProvider === true && isFundingCall(wait)));
    const refusal = isDue ? refusalOf(progress, action, context) : null;
    if (isDue && refusal === null) wait = progress.advance(context);
    const needed = neededTurn(progress, turn);
    if (needed !== null) return needed;
    const position = await this.#append(progress, traceparent);
    return { isOutdated: false, progress, wait, context, position, isDue, refusal };
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
    const unanswered = usesProvider && wait.kind !== 'idle' ? fundingCalls(progress.transfer, context) : [];
    const calls = unanswered.filter(({ walletId }) => progress.tails.has(walletId));
    const unansweredWalletIds = unanswered.map(({ walletId }) => walletId);
    return { paymentId, payment, position, balances, waitsForWalletId, action, calls, unansweredWalletIds };
  }

  #append(progress: TransferProgress, traceparent: string | undefined): Promise<number | null> {
    return appendProgress(this.dependencies, progress, traceparent);
  }
}

function tooLate(what: 'created' | 'changed'): SettleError {
  const message = `The payment could not be ${what} in time, and nothing was stored. Send it again.`;
  return new SettleError('service_unavailable', message);
}

function jitter(attempt: number): Promise<void> {
  return pause(Math.random() * Math.min(2 ** attempt, LONGEST_JITTER_MS));
}
