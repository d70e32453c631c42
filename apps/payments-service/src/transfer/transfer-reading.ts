import { payerIdOf, targetUserIdOf, type StepContext, type WalletSteps } from '@settle/payments-domain';
import type { Clock } from '../clock.js';
import { TransferDraft, type WalletTail } from './transfer-draft.js';
import type { ReadHistory, TransferHistories } from './transfer-histories.js';
import type { Wallets } from './wallets.js';

export interface ReadingParts {
  readonly histories: TransferHistories;
  readonly wallets: Wallets;
  /** Whether the steps of this wallet are this instance's. */
  readonly owns: (walletId: string) => boolean;
  /** A person's verified funding source, as known now. */
  readonly sourceIdOf: (userId: string) => Promise<string | null>;
  readonly clock: Clock;
}

/** A draft of what comes next, and what it is decided with. */
export type Reading = readonly [TransferDraft, StepContext];
/**
 * Puts what this process has decided by now on top of what was read; null: read again. From here to the append nothing
 * may be awaited: whoever decides in between would build on the same tails.
 */
export type TakeUp = () => Reading | null;

/** Reads a payment and those of its wallets that are this instance's. */
export class TransferReading {
  constructor(private readonly parts: ReadingParts) {}

  /** The kept tails of our wallets; a wallet that another's conflict has just forgotten is missing. */
  keptTails(walletIds: readonly string[]): Map<string, WalletTail> {
    const tails = new Map<string, WalletTail>();
    for (const walletId of walletIds) {
      const kept = this.parts.wallets.get(walletId);
      if (kept !== undefined) tails.set(walletId, kept.tail);
    }
    return tails;
  }

  /**
   * From the payment's stream, the journal and the wallets' streams.
   * @param walletIds wallets that are ours whatever the share says: the command came to us
   * @param position of a step that is known to be stored
   */
  async read(paymentId: string, walletIds: readonly string[], position: number): Promise<TakeUp> {
    const isOurs = (walletId: string) => walletIds.includes(walletId) || this.parts.owns(walletId);
    const history = await this.parts.histories.read(paymentId, walletIds, isOurs);
    const context = await this.#context(history.stored.keys());
    const readPosition = Math.max(history.position, position);
    return () => {
      const tails = this.#tailsOnTop(history);
      if (tails === null) return null;
      return [new TransferDraft(paymentId, { ...history, tails, position: readPosition }), context];
    };
  }

  /**
   * From the payment's stream alone: what this wallet holds of the payment is known from memory, and the others are not
   * ours. Null when memory does not reach back that far.
   */
  async remember(paymentId: string, walletId: string): Promise<TakeUp | null> {
    const { histories, wallets } = this.parts;
    const history = await histories.payment(paymentId);
    const { payment, createdPosition } = history;
    if (payment.status === 'none') return null;
    // Who pays may pay from a source; whoever is paid needs none.
    const isPayer = payerIdOf(payment.facts, targetUserIdOf(payment)) === walletId;
    const context = await this.#context(isPayer ? [walletId] : []);
    await wallets.load([walletId]);
    const refund = await histories.refundOf(paymentId, payment);
    if (wallets.stepsSince(createdPosition, walletId, paymentId) === null) return null;
    return () => {
      const held = wallets.stepsSince(createdPosition, walletId, paymentId);
      if (held === null) return null;
      const steps = new Map<string, WalletSteps>([[walletId, held]]);
      const tails = this.keptTails([walletId]);
      return [new TransferDraft(paymentId, { ...history, steps, tails, ...refund }), context];
    };
  }

  /** Null when a wallet was read again after this history: a step could stand between the two. */
  #tailsOnTop({ stored }: ReadHistory): Map<string, WalletTail> | null {
    const { wallets } = this.parts;
    const tails = new Map<string, WalletTail>();
    for (const [walletId, wallet] of stored) {
      wallets.read(walletId, wallet);
      const kept = wallets.get(walletId);
      if (kept !== undefined && kept.readRevision > wallet.tail.revision) return null;
      tails.set(walletId, kept?.tail ?? wallet.tail);
    }
    return tails;
  }

  async #context(walletIds: Iterable<string>): Promise<StepContext> {
    const sources = new Map<string, string | null>();
    for (const walletId of walletIds) sources.set(walletId, await this.parts.sourceIdOf(walletId));
    return { sourceIdOf: (userId) => sources.get(userId) ?? null, atUs: this.parts.clock.nowUs() };
  }
}
