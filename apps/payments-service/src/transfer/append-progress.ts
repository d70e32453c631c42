import { SettleError } from '@settle/contracts';
import { AppendOutcomeUnknown, RevisionConflict, StoreUnavailable, type EventStore } from '@settle/event-store';
import { startSpan } from '@settle/observability';
import { outcomeUnknown } from '../storage/database-unavailable.js';
import { refuseUnlessAdmitted, type FundingAdmission } from './refuse-funding.js';
import type { TransferProgress } from './transfer-progress.js';
import type { WalletCache } from './wallet-cache.js';

interface AppendDependencies {
  readonly wallets: WalletCache;
  readonly store: EventStore;
  /** Null where no provider is set. */
  readonly gate: FundingAdmission | null;
}

/**
 * Appends the unit and returns the log position that shows it, or null after a conflict. The cache has the decided
 * wallets before the append, so that the next decision builds on them. Nothing may be awaited between decision and call.
 * Errors: `service_unavailable` only if nothing of the payment is stored, `outcome_unknown`.
 * @param parent W3C `traceparent` of the enclosing span
 */
export async function appendProgress(
  { wallets, store, gate }: AppendDependencies,
  progress: TransferProgress,
  parent: string | undefined,
): Promise<number | null> {
  if (progress.unit.length === 0) return progress.history.position;
  refuseUnlessAdmitted(gate, progress);
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
    for (const [walletId] of changed) wallets.recordFailed(walletId, paymentId);
    if (error instanceof RevisionConflict) return null;
    throw settleErrorOfAppend(error, progress);
  } finally {
    span?.end();
  }
}

function settleErrorOfAppend(error: unknown, { paymentId, history }: TransferProgress): unknown {
  if (error instanceof StoreUnavailable && history.position === 0) {
    return new SettleError('service_unavailable', 'The ledger is unavailable and nothing was stored. Send it again.');
  }
  if (error instanceof StoreUnavailable || error instanceof AppendOutcomeUnknown) {
    return outcomeUnknown(paymentId);
  }
  return error;
}
