import { LIMITS } from '@settle/config';
import { START, type EventStore, type StoredEvent } from '@settle/event-store';
import { NO_STEPS, type WalletSteps } from '@settle/payments-domain';
import { LRUCache } from 'lru-cache';
import { readWalletEvent, walletStream } from '../storage/streams.js';
import type { WalletTail } from './transfer-progress.js';

interface CachedWallet {
  tail: WalletTail;
  /** Revision up to which the wallet was read from the store; this process decided everything after it. */
  readonly readRevision: number;
  /** The cache has all steps that are stored after this log position. */
  basePosition: number;
}

/** Steps of one payment in one wallet that this process decided. */
interface DecidedSteps {
  /** The wallet on which they were decided: if it was evicted, the steps may not be stored. */
  readonly wallet: CachedWallet;
  readonly steps: WalletSteps;
  /** Log position of the newest of them; null while their append is in progress. */
  position: number | null;
}

export interface WalletCacheOptions {
  /** Whether to remember decided steps for a while, for other instances that request steps. */
  readonly remembersSteps: boolean;
  /** State of a wallet without events. */
  readonly emptyWallet: WalletTail;
}

/** A wallet as the store holds it. */
export interface StoredWallet {
  readonly tail: WalletTail;
  /** Log position of its newest event; `START` if it has none. */
  readonly position: number;
}

/**
 * The newest state of wallets as decided in this process, including appends that wait or are in flight: those are stored
 * in the order in which they were decided. The expected revision is the guarantee and this is a cache: a wallet whose
 * append fails is evicted and read again.
 */
export class WalletCache {
  readonly #wallets = new LRUCache<string, CachedWallet>({ max: LIMITS.payments.walletsKept });
  readonly #loading = new Map<string, Promise<void>>();
  /** By wallet and payment, oldest first. */
  readonly #decided = new Map<string, DecidedSteps>();

  constructor(
    private readonly store: EventStore,
    private readonly options: WalletCacheOptions,
  ) {}

  /** Reads the wallets that are not cached, in one turn: the store reads them together. Errors: the store's. */
  async load(userIds: readonly string[]): Promise<void> {
    const missing = userIds.filter((userId) => !this.#wallets.has(userId));
    if (missing.length === 0) return;
    await Promise.all(missing.map((userId) => this.#loading.get(userId) ?? this.#load(userId)));
  }

  /** Returns the cached wallets among these; one that another payment's conflict has just evicted is missing. */
  tailsOf(userIds: readonly string[]): Map<string, WalletTail> {
    const tails = new Map<string, WalletTail>();
    for (const userId of userIds) {
      const wallet = this.#wallets.get(userId);
      if (wallet !== undefined) tails.set(userId, wallet.tail);
    }
    return tails;
  }

  /**
   * Returns the newest decided state of wallets that were read from the store just now. Null if one of them was read
   * again after that: a step could stand between the two reads.
   */
  rebase(stored: ReadonlyMap<string, StoredWallet>): Map<string, WalletTail> | null {
    const tails = new Map<string, WalletTail>();
    for (const [userId, read] of stored) {
      this.#refresh(userId, read);
      const wallet = this.#wallets.get(userId);
      if (wallet !== undefined && wallet.readRevision > read.tail.revision) return null;
      tails.set(userId, wallet?.tail ?? read.tail);
    }
    return tails;
  }

  /** Records a wallet's state and its steps of a payment that are about to be appended. */
  recordDecision(
    userId: string,
    tail: WalletTail,
    { paymentId, steps }: { paymentId: string; steps: WalletSteps },
  ): void {
    const wallet = this.#wallets.get(userId);
    if (wallet === undefined) return;
    wallet.tail = tail;
    if (!this.options.remembersSteps) return;
    const key = stepsKey(userId, paymentId);
    // Inserted again, so that the order is that of the newest step.
    this.#decided.delete(key);
    this.#decided.set(key, { wallet, steps, position: null });
  }

  /** Records that such an append is stored, and drops the oldest steps beyond the limit. */
  recordStored(userId: string, paymentId: string, position: number): void {
    const decided = this.#decided.get(stepsKey(userId, paymentId));
    if (decided !== undefined) decided.position = position;
    for (const [key, { wallet, position: oldest }] of this.#decided) {
      if (this.#decided.size <= LIMITS.payments.stepsRemembered || oldest === null) return;
      wallet.basePosition = Math.max(wallet.basePosition, oldest);
      this.#decided.delete(key);
    }
  }

  /**
   * Returns a cached wallet's steps of a payment that was created at this log position; null if only the store knows
   * them. Every step comes after its payment's creation, so it is not among what was read before it.
   */
  stepsSince(createdPosition: number, userId: string, paymentId: string): WalletSteps | null {
    const wallet = this.#wallets.get(userId);
    const isComplete = this.options.remembersSteps && wallet !== undefined && createdPosition > wallet.basePosition;
    if (!isComplete) return null;
    const decided = this.#decided.get(stepsKey(userId, paymentId));
    return decided !== undefined && decided.wallet === wallet ? decided.steps : NO_STEPS;
  }

  /** Evicts wallets whose owner changed. */
  evictReassigned(isReassigned: (userId: string) => boolean): void {
    for (const userId of [...this.#wallets.keys()]) if (isReassigned(userId)) this.#wallets.delete(userId);
  }

  /** Evicts a wallet whose append failed. What was decided on it counts no more. */
  recordFailed(userId: string, paymentId: string): void {
    this.evict(userId);
    this.#decided.delete(stepsKey(userId, paymentId));
  }

  /** Evicts a wallet that was changed without this cache. */
  evict(userId: string): void {
    this.#wallets.delete(userId);
  }

  /** Reads a wallet from its newest event: one read, however long its history. Errors: the store's. */
  async readNewest(userId: string): Promise<StoredWallet> {
    const [newest] = await this.store.readStream(walletStream(userId), { direction: 'backwards', limit: 1 });
    return newest === undefined ? { tail: this.options.emptyWallet, position: START } : walletAfter(newest);
  }

  /** Caches what the store has, unless the cached state is newer. */
  #refresh(userId: string, { tail, position }: StoredWallet): void {
    const wallet = this.#wallets.get(userId);
    if (wallet !== undefined && wallet.tail.revision >= tail.revision) return;
    this.#wallets.set(userId, { tail, readRevision: tail.revision, basePosition: position });
  }

  #load(userId: string): Promise<void> {
    const loading = this.readNewest(userId)
      .then((stored) => this.#refresh(userId, stored))
      .finally(() => this.#loading.delete(userId));
    this.#loading.set(userId, loading);
    return loading;
  }
}

/** Returns a wallet after its newest event. */
export function walletAfter(newest: StoredEvent): StoredWallet {
  const { balanceCents } = readWalletEvent(newest).data;
  return { tail: { isOpen: true, balanceCents, revision: newest.revision }, position: newest.position };
}

function stepsKey(userId: string, paymentId: string): string {
  return `${userId}:${paymentId}`;
}
