import { LIMITS } from '@settle/config';
import { START, type EventStore } from '@settle/event-store';
import { NO_STEPS, type WalletSteps } from '@settle/payments-domain';
import { LRUCache } from 'lru-cache';
import { readWalletEvent, walletStream } from '../streams.js';
import type { WalletTail } from './transfer-draft.js';

interface KeptWallet {
  tail: WalletTail;
  /** As far as the wallet was read from the store; everything above was decided in this process. */
  readonly readRevision: number;
  /** Steps that stand after this position are all remembered. */
  basePosition: number;
}

/** What this process has decided of one payment in one wallet. */
interface DecidedSteps {
  /** What it was decided on: once that is forgotten, the steps may not be stored. */
  readonly kept: KeptWallet;
  readonly steps: WalletSteps;
  /** Of the newest of them; null while they are on their way to the store. */
  position: number | null;
}

export interface WalletsOptions {
  /** Whether other instances ask for steps, so that what was decided is to be remembered for a while. */
  readonly remembersSteps: boolean;
  /** What a wallet without a stream is. */
  readonly unopened: WalletTail;
}

/** A wallet as the store holds it. */
export interface StoredWallet {
  readonly tail: WalletTail;
  /** Of its newest event; `START` when it has none. */
  readonly position: number;
}

/**
 * The newest state of the wallets, as decided in this process: appends that wait or are in flight included, since they
 * are stored in the order in which they were decided. The expected revision is the guarantee, this is a cache: a wallet
 * whose append was refused is forgotten and read again.
 */
export class Wallets {
  readonly #kept = new LRUCache<string, KeptWallet>({ max: LIMITS.payments.walletsKept });
  readonly #loading = new Map<string, Promise<void>>();
  /** By wallet and payment, the oldest first. */
  readonly #decided = new Map<string, DecidedSteps>();

  constructor(
    private readonly store: EventStore,
    private readonly options: WalletsOptions,
  ) {}

  get(userId: string): Readonly<KeptWallet> | undefined {
    return this.#kept.get(userId);
  }

  /** Reads those that are not kept. */
  async load(userIds: readonly string[]): Promise<void> {
    for (const userId of userIds) {
      if (this.#kept.has(userId)) continue;
      await (this.#loading.get(userId) ?? this.#load(userId));
    }
  }

  /** What a kept wallet is, and holds of this payment, after an append that has been handed to the store. */
  decided(userId: string, tail: WalletTail, { paymentId, steps }: { paymentId: string; steps: WalletSteps }): void {
    const kept = this.#kept.get(userId);
    if (kept === undefined) return;
    kept.tail = tail;
    if (!this.options.remembersSteps) return;
    const key = stepsKey(userId, paymentId);
    // Put in anew, so that the order is that of the newest step.
    this.#decided.delete(key);
    this.#decided.set(key, { kept, steps, position: null });
  }

  /** Such an append is stored. The oldest steps beyond what is remembered are forgotten. */
  stored(userId: string, paymentId: string, position: number): void {
    const decided = this.#decided.get(stepsKey(userId, paymentId));
    if (decided !== undefined) decided.position = position;
    for (const [key, { kept, position: oldest }] of this.#decided) {
      if (this.#decided.size <= LIMITS.payments.stepsRemembered || oldest === null) return;
      kept.basePosition = Math.max(kept.basePosition, oldest);
      this.#decided.delete(key);
    }
  }

  /**
   * What a kept wallet holds of a payment that was created at this position; null when only the store knows. A step
   * comes after its payment's creation, so that it is not among what was read before, and what came since was decided
   * here.
   */
  stepsSince(createdPosition: number, userId: string, paymentId: string): WalletSteps | null {
    const kept = this.#kept.get(userId);
    const isRemembered = this.options.remembersSteps && kept !== undefined && createdPosition > kept.basePosition;
    if (!isRemembered) return null;
    const decided = this.#decided.get(stepsKey(userId, paymentId));
    return decided?.kept === kept ? decided.steps : NO_STEPS;
  }

  /** What the store holds; replaces what is kept unless that is further on. */
  read(userId: string, { tail, position }: StoredWallet): void {
    const kept = this.#kept.get(userId);
    if (kept !== undefined && kept.tail.revision >= tail.revision) return;
    this.#kept.set(userId, { tail, readRevision: tail.revision, basePosition: position });
  }

  /** What was kept of these may be old. */
  forgetAll(isMoved: (userId: string) => boolean): void {
    for (const userId of [...this.#kept.keys()]) if (isMoved(userId)) this.#kept.delete(userId);
  }

  /** The append that led here was not stored, so neither is what was decided on it. */
  forget(userId: string): void {
    this.#kept.delete(userId);
  }

  /** A wallet as the store holds it, from its newest event: one read, however long its history. */
  async newest(userId: string): Promise<StoredWallet> {
    const [newest] = await this.store.readStream(walletStream(userId), { direction: 'backwards', limit: 1 });
    if (newest === undefined) return { tail: this.options.unopened, position: START };
    const { balanceCents } = readWalletEvent(newest).data;
    return { tail: { isOpen: true, balanceCents, revision: newest.revision }, position: newest.position };
  }

  #load(userId: string): Promise<void> {
    const loading = this.newest(userId)
      .then((stored) => this.read(userId, stored))
      .finally(() => this.#loading.delete(userId));
    this.#loading.set(userId, loading);
    return loading;
  }
}

function stepsKey(userId: string, paymentId: string): string {
  return `${userId}:${paymentId}`;
}
