import { RevisionConflict, type EventStore, type StreamAppend } from '@settle/event-store';
import { decideWallet, type WalletCommand } from '@settle/payments-domain';
import { newFundingEvent, newWalletEvent } from '../storage/step-ids.js';
import { fundingStream, walletStream, type FundingEvent } from '../storage/streams.js';
import type { StoredWallet, WalletCache } from '../transfer/wallet-cache.js';

export interface WalletAppendContext {
  readonly store: Pick<EventStore, 'append'>;
  readonly wallets: WalletCache;
}

/**
 * Appends what a command leads to at the end of a wallet that was read from the store just now. Returns false if the stored
 * balance does not cover the command. After a conflict, which is no error, the caller reads again.
 */
export async function appendToWallet(
  { store, wallets }: WalletAppendContext,
  wallet: StoredWallet,
  walletId: string,
  command: WalletCommand,
): Promise<boolean> {
  const tail = wallets.rebase(new Map([[walletId, wallet]]))?.get(walletId);
  if (tail === undefined) return true;
  const isAtStoredEnd = tail.revision === wallet.tail.revision;
  // The held money was read up to the stored end: a decision after it may have added to it.
  if (command.type === 'withdraw' && !isAtStoredEnd) return true;
  const events = decideWallet(command, tail).map((event) => newWalletEvent(walletId, event));
  // A decision of another payment that is not stored yet may still fail: only the stored balance refuses.
  if (events.length === 0) return !isAtStoredEnd;
  // The cache knows nothing of these steps. A payment that decides meanwhile reads the store, and one of the two conflicts.
  wallets.evict(walletId);
  try {
    await appendUnlessChanged(store, [{ stream: walletStream(walletId), expectedRevision: tail.revision, events }]);
  } finally {
    wallets.evict(walletId);
  }
  return true;
}

/**
 * Appends events of one deposit, withdrawal, reversal or contradiction and returns their log position. Null without events,
 * and after a conflict, as of `appendUnlessChanged`.
 */
export async function appendToFunding(
  store: Pick<EventStore, 'append'>,
  events: readonly FundingEvent[],
  expectedRevision: number,
): Promise<number | null> {
  const [first] = events;
  if (first === undefined) return null;
  const stream = fundingStream(first.kind, first.id);
  return appendUnlessChanged(store, [{ stream, expectedRevision, events: events.map(newFundingEvent) }]);
}

/**
 * Appends a unit and returns its log position. Null after a conflict, which is no error: another writer was faster, and what
 * is stored decides.
 */
async function appendUnlessChanged(
  store: Pick<EventStore, 'append'>,
  unit: readonly StreamAppend[],
): Promise<number | null> {
  try {
    return (await store.append(unit)).position;
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    return null;
  }
}
