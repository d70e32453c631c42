import type { Semaphore } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { TransferAction } from './transfer-progress.js';
import type { AdvanceOptions, NewPayment } from './transfer-requests.js';
import type { TransferResult, TransferRunner } from './transfer-runner.js';
import type { WalletOwnership } from './wallet-ownership.js';

/**
 * Advances payments whose wallets belong to several instances: requests the other owners' steps. While it waits for them
 * it holds nothing that another payment could need, so two instances may wait for each other.
 */
export class TransferCoordinator {
  /**
   * @param waitSlots taken by payments that wait for other owners, over all environments: they share the capacity of one
   *   request queue
   * @param awaitProjection waits, within bounds, until the read models have reached a log position
   */
  constructor(
    private readonly runner: TransferRunner,
    private readonly ownership: WalletOwnership,
    private readonly waitSlots: Semaphore,
    private readonly awaitProjection: (position: number, traceparent: string | undefined) => Promise<unknown>,
  ) {}

  /**
   * Creates a payment and advances it on all wallets. Errors as `TransferRunner.create`, and `service_unavailable` if too
   * many payments wait for other instances.
   */
  async create(payment: NewPayment): Promise<TransferResult> {
    const { actorId, target } = payment.created.data;
    const options = { walletIds: [actorId], traceparent: payment.traceparent };
    if (target.userId === null || this.ownership.owns(target.userId)) {
      return this.#withOtherOwners(await this.runner.create(payment), options);
    }
    // Reserved before anything is stored: a payment that is created must be able to wait.
    if (!(await this.waitSlots.acquire())) {
      throw new SettleError(
        'service_unavailable',
        'Too many payments wait for other instances. Send it again shortly.',
      );
    }
    try {
      return await this.#withOtherOwners(await this.runner.create(payment), options, true);
    } finally {
      this.waitSlots.release();
    }
  }

  /** Advances a payment on all wallets and applies `action`. Errors as `TransferRunner.advance`. */
  async advance(
    paymentId: string,
    action: TransferAction | null,
    options: Pick<AdvanceOptions, 'traceparent' | 'fundingResult' | 'giveUpAtMs'> = {},
  ): Promise<TransferResult> {
    const { fundingResult = null, ...others } = options;
    const first = await this.runner.advance(paymentId, action, { ...others, fundingResult });
    const result = await this.#withOtherOwners(first, { ...others, walletIds: action?.walletIds ?? [] });
    if (action !== null && result.payment.status !== 'pending') this.remindOwners(result, options.traceparent);
    return result;
  }

  /**
   * Lets the owners of other wallets that wait for the provider ask it now: the charge of a payment that has ended needs to
   * be cancelled. Does not wait for them; without it their workers ask later.
   */
  remindOwners({ paymentId, calls, unansweredWalletIds }: TransferResult, traceparent?: string): void {
    const own = new Set(calls.map(({ walletId }) => walletId));
    for (const walletId of new Set(unansweredWalletIds)) {
      if (own.has(walletId)) continue;
      void this.waitSlots.acquire().then(async (hasSlot) => {
        if (!hasSlot) return;
        await this.ownership.requestSteps(paymentId, walletId, traceparent).catch(() => null);
        this.waitSlots.release();
      });
    }
  }

  async #withOtherOwners(first: TransferResult, options: AdvanceOptions, hasSlot = false): Promise<TransferResult> {
    let result = first;
    for (let requests = 0; result.waitsForWalletId !== null; requests += 1) {
      const { paymentId, payment, waitsForWalletId, action } = result;
      const mayWait = requests < LIMITS.payments.appendTries && (hasSlot || (await this.waitSlots.acquire()));
      const request = () => this.ownership.requestSteps(paymentId, waitsForWalletId, options.traceparent);
      const release = () => (hasSlot ? undefined : this.waitSlots.release());
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
      await this.awaitProjection(position, options.traceparent);
      result = await this.runner.advance(paymentId, action, { ...options, position });
    }
    return result;
  }
}
