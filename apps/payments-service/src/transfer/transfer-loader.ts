import type { EventStore } from '@settle/event-store';
import { NO_STEPS, payerIdOf, targetUserIdOf, type StepContext } from '@settle/payments-domain';
import type { Clock } from '../storage/clock.js';
import { readOrphanAttempts } from './orphan-attempts.js';
import type { PaymentHistoryReader } from './payment-history.js';
import type { SourceTurn } from './source-turn.js';
import type { TransferHistory, WalletTail } from './transfer-progress.js';
import type { WalletCache } from './wallet-cache.js';

/** The data that was read for a payment. `rebase` returns the tails of its wallets as this process has decided them by now. */
export interface TransferSnapshot {
  readonly history: Omit<TransferHistory, 'tails'>;
  readonly context: StepContext;
  /** Null if a wallet was read again since: read the payment again. */
  readonly rebase: () => ReadonlyMap<string, WalletTail> | null;
}

export interface LoadRequest {
  /** Wallets that are this instance's whatever the assignment says. */
  readonly walletIds: readonly string[];
  /** Log position of a step that is known to be stored. */
  readonly position: number;
  /** Wallet whose steps another instance requests; null if none does. */
  readonly requestedWalletId: string | null;
}

export interface LoadDependencies {
  readonly store: EventStore;
  readonly histories: PaymentHistoryReader;
  readonly wallets: WalletCache;
  /** Whether this instance owns the wallet. */
  readonly owns: (walletId: string) => boolean;
  /** Returns the user's verified funding source as known now. */
  readonly sourceIdOf: (userId: string) => Promise<string | null>;
  /** Whether funding sources belong to a provider, which is asked outside of the runner. */
  readonly usesProvider: boolean;
  readonly clock: Clock;
}

/**
 * Loads a payment and the wallets of this instance that its next steps may change, from the payment's stream, the journal
 * and the streams of these wallets. Errors: those of the store and the database.
 * @param turn in which a source may be charged; null: no charge may be requested
 */
export async function loadTransfer(
  dependencies: LoadDependencies,
  paymentId: string,
  request: LoadRequest,
  turn: SourceTurn | null,
): Promise<TransferSnapshot> {
  const snapshot = await loadSteps(dependencies, paymentId, request);
  if (turn === null) return snapshot;
  const { userId } = turn;
  const { attempt } = snapshot.history.steps.get(userId) ?? NO_STEPS;
  const orphans = await readOrphanAttempts(dependencies.store, { paymentId, userId, attempt });
  return { ...snapshot, context: { ...snapshot.context, ...orphans } };
}

async function loadSteps(
  dependencies: LoadDependencies,
  paymentId: string,
  { walletIds, position, requestedWalletId }: LoadRequest,
): Promise<TransferSnapshot> {
  const cached = requestedWalletId === null ? null : await loadFromCache(dependencies, paymentId, requestedWalletId);
  if (cached !== null) return cached;
  const { histories, wallets, owns } = dependencies;
  const isOwned = (walletId: string) => walletIds.includes(walletId) || owns(walletId);
  const { stored, ...history } = await histories.readTransfer(paymentId, walletIds, isOwned);
  const context = await contextFor(dependencies, stored.keys());
  const newest = Math.max(history.position, position);
  return { history: { ...history, position: newest }, context, rebase: () => wallets.rebase(stored) };
}

/**
 * Loads a payment from its own stream alone: the cache knows its steps in this wallet, and other instances own the other
 * wallets. Null if the cache does not reach back to the payment's creation.
 */
async function loadFromCache(
  dependencies: LoadDependencies,
  paymentId: string,
  walletId: string,
): Promise<TransferSnapshot | null> {
  const { histories, wallets } = dependencies;
  const { createdPosition, ...history } = await histories.readPayment(paymentId);
  const { payment } = history;
  if (payment.status === 'none') return null;
  // Only the payer may need a funding source.
  const isPayer = payerIdOf(payment.facts, targetUserIdOf(payment)) === walletId;
  const context = await contextFor(dependencies, isPayer ? [walletId] : []);
  await wallets.load([walletId]);
  const refund = await histories.readRefund(paymentId, payment);
  const held = wallets.stepsSince(createdPosition, walletId, paymentId);
  if (held === null) return null;
  const isUnchanged = () => wallets.stepsSince(createdPosition, walletId, paymentId) === held;
  const rebase = () => (isUnchanged() ? wallets.tailsOf([walletId]) : null);
  return { history: { ...history, ...refund, steps: new Map([[walletId, held]]) }, context, rebase };
}

async function contextFor(
  { sourceIdOf, usesProvider, clock }: LoadDependencies,
  walletIds: Iterable<string>,
): Promise<StepContext> {
  const sources = new Map<string, string | null>();
  for (const walletId of walletIds) sources.set(walletId, await sourceIdOf(walletId));
  return { sourceIdOf: (userId) => sources.get(userId) ?? null, atUs: clock.nowUs(), usesProvider };
}
