import { LIMITS } from '@settle/config';
import { START, type EventStore } from '@settle/event-store';
import type { WalletEvent } from '@settle/payments-domain';
import { readWalletEvent, walletStream } from '../storage/streams.js';
import type { WalletTail } from './transfer-progress.js';
import { walletAfter, type StoredWallet } from './wallet-cache.js';

/** The wallet to read, and the newest revision of it that the journal has; `NO_STREAM` if it has none. */
interface WalletRange {
  readonly walletId: string;
  readonly knownRevision: number;
  /** State of a wallet without events. */
  readonly emptyWallet: WalletTail;
}

/**
 * Reads a wallet from the newest event that the journal has to the end of its stream, and passes on the later events.
 * Errors: the store's.
 */
export async function readWalletAfter(
  store: Pick<EventStore, 'readStream'>,
  { walletId, knownRevision, emptyWallet }: WalletRange,
  onLaterEvent: (event: WalletEvent) => void,
): Promise<StoredWallet> {
  let wallet: StoredWallet = { tail: emptyWallet, position: START };
  // The journal is hardly behind: the first read is short, so that the store reads many wallets together.
  let limit: number = LIMITS.eventStore.shortStreamEvents;
  for (let fromRevision = Math.max(knownRevision, 0); ;) {
    const range = { direction: 'forwards', fromRevision, limit } as const;
    const events = await store.readStream(walletStream(walletId), range);
    for (const event of events) if (event.revision > knownRevision) onLaterEvent(readWalletEvent(event));
    const newest = events.at(-1);
    if (newest !== undefined) wallet = walletAfter(newest);
    if (events.length < limit) return wallet;
    fromRevision += limit;
    limit = LIMITS.eventStore.eventsPerRead;
  }
}
