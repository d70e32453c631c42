import { RevisionConflict, type EventStore, type StreamAppend } from '@settle/event-store';
import { decideWallet, type WalletCommand } from '@settle/payments-domain';
import { newWalletEvent } from '../storage/step-ids.js';
import { walletStream } from '../storage/streams.js';
import type { StoredWallet, WalletCache } from '../transfer/wallet-cache.js';

export interface WalletAppendContext {
  readonly store: Pick<EventStore, 'append'>;
  readonly wallets: WalletCache;
}

/**
 * Appends what a command leads to at the end of a wallet that was read from the store just now. Returns false if the
 * wallet does not cover the command. After a conflict, which is no error, the caller reads again.
 */
export async function appendToWallet(
  { store, wallets }: WalletAppendContext,
  wallet: StoredWallet,
  walletId: string,
  command: WalletCommand,
): Promise<boolean> {
  const tail = wallets.rebase(new Map([[walletId, wallet]]))?.get(walletId);
  if (tail === undefined) return true;
  const events = decideWallet(command, tail);
  if (events.length === 0) {
    // A decision of another payment that is not stored yet may still fail: only the stored balance refuses.
    return tail.revision !== wallet.tail.revision;
  }
  // The cache knows nothing of these steps. A payment that decides meanwhile reads the store, and one of the two conflicts.
  wallets.evict(walletId);
  const stream = walletStream(walletId);
  const newEvents = events.map((event) => newWalletEvent(walletId, event));
  try {
    await appendUnlessChanged(store, [{ stream, expectedRevision: tail.revision, events: newEvents }]);
  } finally {
    wallets.evict(walletId);
  }
  return true;
}

/** Appends a unit. A conflict is no error: another writer was faster, and what is stored decides. */
export async function appendUnlessChanged(
  store: Pick<EventStore, 'append'>,
  unit: readonly StreamAppend[],
): Promise<void> {
  try {
    await store.append(unit);
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
  }
}
