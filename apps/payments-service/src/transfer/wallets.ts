import { LIMITS } from '@settle/config';
import type { EventStore } from '@settle/event-store';
import { LRUCache } from 'lru-cache';
import { readWalletEvent, walletStream } from '../streams.js';
import { NO_TAIL, type WalletTail } from './transfer-draft.js';

interface KeptWallet {
  readonly tail: WalletTail;
  /** As far as the wallet was read from the store; everything above was decided in this process. */
  readonly readRevision: number;
}

/**
 * The newest state of the wallets, as decided in this process: appends that wait or are in flight included, since they
 * are stored in the order in which they were decided. The expected revision is the guarantee, this is a cache: a wallet
 * whose append was refused is forgotten and read again.
 */
export class Wallets {
  readonly #kept = new LRUCache<string, KeptWallet>({ max: LIMITS.payments.walletsKept });
  readonly #loading = new Map<string, Promise<void>>();

  constructor(private readonly store: EventStore) {}

  get(userId: string): KeptWallet | undefined {
    return this.#kept.get(userId);
  }

  /** Reads those that are not kept. */
  async load(userIds: readonly string[]): Promise<void> {
    for (const userId of userIds) {
      if (this.#kept.has(userId)) continue;
      await (this.#loading.get(userId) ?? this.#load(userId));
    }
  }

  /** What a kept wallet is after an append that has been handed to the store. */
  decided(userId: string, tail: WalletTail): void {
    const kept = this.#kept.get(userId);
    if (kept !== undefined) this.#kept.set(userId, { tail, readRevision: kept.readRevision });
  }

  /** What the store holds; replaces what is kept unless that is further on. */
  read(userId: string, tail: WalletTail): void {
    const kept = this.#kept.get(userId);
    if (kept !== undefined && kept.tail.revision >= tail.revision) return;
    this.#kept.set(userId, { tail, readRevision: tail.revision });
  }

  /** The append that led here was not stored, so neither is what was decided on it. */
  forget(userId: string): void {
    this.#kept.delete(userId);
  }

  #load(userId: string): Promise<void> {
    const loading = newestTail(this.store, userId)
      .then((tail) => this.read(userId, tail))
      .finally(() => this.#loading.delete(userId));
    this.#loading.set(userId, loading);
    return loading;
  }
}

/** A wallet from its newest event: one read, however long its history. */
export async function newestTail(store: EventStore, userId: string): Promise<WalletTail> {
  const [newest] = await store.readStream(walletStream(userId), { direction: 'backwards', limit: 1 });
  if (newest === undefined) return NO_TAIL;
  return { isOpen: true, balanceCents: readWalletEvent(newest).data.balanceCents, revision: newest.revision };
}
