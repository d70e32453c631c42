import { LIMITS } from '@settle/config';
import {
  SettleError,
  TOPICS,
  advanceFunding,
  claimHeld,
  continuePayment,
  type AdvanceFunding,
  type Environment,
} from '@settle/contracts';
import { MessageClient, type MessageBus, type RequestOptions } from '@settle/messaging';

/**
 * Which instance owns a wallet: the one that receives the commands of the wallet's user also appends the wallet's events,
 * so that its cache stays right and appends do not conflict. During a rebalance two instances may both consider a wallet
 * theirs; the expected revision then decides between them.
 */
export class WalletOwnership {
  readonly #client: MessageClient;

  /** @param environment of the wallets; the same instance owns a user's live and sandbox wallet */
  constructor(
    private readonly bus: MessageBus,
    private readonly environment: Environment,
  ) {
    this.#client = new MessageClient(bus);
  }

  owns(userId: string): boolean {
    return this.bus.owns(TOPICS.paymentsCommands, userId);
  }

  /** Calls `evict` when wallets are assigned to or taken from this instance; cached state of those may be stale. */
  onReassigned(evict: (isReassigned: (userId: string) => boolean) => void): void {
    this.bus.onAssignmentChange(TOPICS.paymentsCommands, evict);
  }

  /** Requests that this user's owner settles the user's held pays. Without a response the owner's sweep finds them. */
  async requestClaim(userId: string): Promise<void> {
    const { environment } = this;
    await this.#responseOrNull(this.#client.request(claimHeld, { userId, environment }, options(userId)));
  }

  /** Requests a wallet's steps from its owner. Returns the log position that shows them; null if no response arrived. */
  async requestSteps(paymentId: string, walletId: string, traceparent?: string): Promise<number | null> {
    const { environment } = this;
    const payload = { paymentId, walletId, environment };
    const request = this.#client.request(continuePayment, payload, { ...options(walletId), traceparent });
    return (await this.#responseOrNull(request))?.position ?? null;
  }

  /** Requests that the user's owner advances a deposit, withdrawal or reversal. Without a response its worker does so later. */
  async requestFunding(
    { kind, id: fundingId }: { kind: AdvanceFunding['kind']; id: string },
    userId: string,
  ): Promise<void> {
    await this.#responseOrNull(this.#client.request(advanceFunding, { userId, kind, fundingId }, options(userId)));
  }

  /** Null whatever the reason: the owner's worker completes what is left. */
  async #responseOrNull<Response>(request: Promise<Response>): Promise<Response | null> {
    try {
      return await request;
    } catch (error) {
      if (error instanceof SettleError) return null;
      throw error;
    }
  }
}

function options(userId: string): RequestOptions {
  return { key: userId, timeoutMs: LIMITS.payments.ownerWaitMs };
}
