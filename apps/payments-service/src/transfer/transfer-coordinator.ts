import type { Semaphore } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { TransferAction } from './transfer-progress.js';
import type { AdvanceOptions, NewPayment, TransferResult, TransferRunner } from './transfer-runner.js';
import type { WalletOwnership } from './wallet-ownership.js';

export interface TransferCoordinatorDependencies {
  readonly runner: TransferRunner;
  readonly ownership: WalletOwnership;
  /** Taken by payments that wait for other owners, over all environments: they share the capacity of one request queue. */
  readonly waitSlots: Semaphore;
  /** Waits, within bounds, until the read models have reached a log position. */
  readonly awaitProjection: (position: number, traceparent: string | undefined) => Promise<unknown>;
}

/**
 * Advances payments whose wallets belong to several instances: requests the other owners' steps. While it waits for them
 * it holds nothing that another payment could need, so two instances may wait for each other.
 */
export class TransferCoordinator {
  constructor(private readonly dependencies: TransferCoordinatorDependencies) {}

  /**
   * Creates a payment and advances it on all wallets. Errors as `TransferRunner.create`, and `service_unavailable` if too
   * many payments wait for other instances.
   */
  async create(payment: NewPayment): Promise<TransferResult> {
    const { runner, ownership, waitSlots } = this.dependencies;
    const { actorId, target } = payment.created.data;
    const options = { walletIds: [actorId], traceparent: payment.traceparent };
    if (target.userId === null || ownership.owns(target.userId)) {
      return this.#withOtherOwners(await runner.create(payment), options);
    }
    // Reserved before anything is stored: a payment that is created must be able to wait.
    if (!(await waitSlots.acquire())) {
      throw new SettleError(
        'service_unavailable',
        'Too many payments wait for other instances. Send it again shortly.',
      );
    }
    try {
      return await this.#withOtherOwners(await runner.create(payment), options, true);
    } finally {
      waitSlots.release();
    }
  }

  /** Advances a payment on all wallets and applies `action`. Errors as `TransferRunner.advance`. */
  async advance(paymentId: string, action: TransferAction | null, traceparent?: string): Promise<TransferResult> {
    const result = await this.dependencies.runner.advance(paymentId, action, { traceparent });
    return this.#withOtherOwners(result, { walletIds: action?.walletIds ?? [], traceparent });
  }

  async #withOtherOwners(first: TransferResult, options: AdvanceOptions, hasSlot = false): Promise<TransferResult> {
    const { runner, ownership, waitSlots, awaitProjection } = this.dependencies;
    let result = first;
    for (let requests = 0; result.waitsForWalletId !== null; requests += 1) {
      const { paymentId, payment, waitsForWalletId, action } = result;
      const mayWait = requests < LIMITS.payments.appendTries && (hasSlot || (await waitSlots.acquire()));
      const request = () => ownership.requestSteps(paymentId, waitsForWalletId, options.traceparent);
      const release = () => (hasSlot ? undefined : waitSlots.release());
      const stepPosition = mayWait ? await request().finally(release) : null;
      if (stepPosition === null) {
        // The payee of a settled payment has the money for good: the credit follows.
        if (action === null && payment.status === 'settled') return result;
        throw new SettleError(
          'outcome_unknown',
          `Payment ${paymentId} is in progress. Read it before you send it again.`,
        );
      }
      const position = Math.max(stepPosition, result.position);
      if (action === null && payment.status !== 'pending') return { ...result, position };
      // Only the journal, a read model, shows what the owners of other wallets have stored.
      await awaitProjection(position, options.traceparent);
      result = await runner.advance(paymentId, action, { ...options, position });
    }
    return result;
  }
}
