import { LIMITS } from '@settle/config';
import { SettleError, TOPICS, claimHeld, continuePayment, type Environment } from '@settle/contracts';
import { MessageClient, type MessageBus, type RequestOptions } from '@settle/messaging';

/** Gives a place back. */
export type Place = () => void;

/** The places of those who wait for other owners: one number for all environments, since one lane has room for them. */
export class WaitingPlaces {
  #taken = 0;

  /** Null when all are taken. */
  take(): Place | null {
    if (this.#taken >= LIMITS.payments.waitingForOwners) return null;
    this.#taken += 1;
    return () => {
      this.#taken -= 1;
    };
  }
}

/**
 * Whose a wallet is: the one instance that gets the commands of the wallet's user does the wallet's steps, so that what
 * is kept of a wallet stays right and appends do not conflict. During a rebalance two may believe it of themselves; the
 * expected revision decides between them.
 */
export class WalletOwners {
  readonly #client: MessageClient;

  /** @param environment of the wallets: who owns a user's real one owns the other as well */
  constructor(
    private readonly bus: MessageBus,
    private readonly environment: Environment,
    private readonly places: WaitingPlaces,
  ) {
    this.#client = new MessageClient(bus);
  }

  owns(userId: string): boolean {
    return this.bus.owns(TOPICS.paymentsCommands, userId);
  }

  /** Told whenever wallets come or go; `isMoved` says which. What was kept of them may be old. */
  whenMoved(forget: (isMoved: (userId: string) => boolean) => void): void {
    this.bus.whenShareChanges(TOPICS.paymentsCommands, forget);
  }

  /** A place among those who wait for another owner; null when all are taken. */
  takePlace(): Place | null {
    return this.places.take();
  }

  /** Asks the instance of this user to settle what is held for them. Not answered: its sweep finds it. */
  async claim(userId: string): Promise<void> {
    const { environment } = this;
    await this.#answered(this.#client.request(claimHeld, { userId, environment }, options(userId)));
  }

  /** Asks the owner of a wallet to do its steps. The position that shows them; null when no answer came in time. */
  async continue(paymentId: string, walletId: string, traceparent?: string): Promise<number | null> {
    const { environment } = this;
    const within = { ...options(walletId), traceparent };
    const asked = this.#client.request(continuePayment, { paymentId, walletId, environment }, within);
    return (await this.#answered(asked))?.position ?? null;
  }

  /** Null whatever the reason: the worker of the owner finishes what is left. */
  async #answered<Reply>(asked: Promise<Reply>): Promise<Reply | null> {
    try {
      return await asked;
    } catch (error) {
      if (error instanceof SettleError) return null;
      throw error;
    }
  }
}

function options(userId: string): RequestOptions {
  return { key: userId, timeoutMs: LIMITS.payments.ownerWaitMs };
}
