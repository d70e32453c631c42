import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { Action, After, Brought, NewPayment, TransferSteps, UntilShown } from './transfer-steps.js';
import type { Place, WalletOwners } from './wallet-owners.js';

/**
 * Brings payments forward, other instances' steps included: theirs are asked for, and while they are waited for nothing
 * is held that somebody else could need, so that two instances may wait for each other.
 */
export class Transfers {
  constructor(
    private readonly steps: TransferSteps,
    private readonly owners: WalletOwners,
    private readonly untilShown: UntilShown,
  ) {}

  /** As `TransferSteps.create`, to the end. Error beside its own: `service_unavailable` when too many wait for others. */
  async create(payment: NewPayment): Promise<Brought> {
    const { actorId, target } = payment.created.data;
    const after = { walletIds: [actorId], traceparent: payment.traceparent };
    const begin = () => this.steps.create(payment);
    if (target.userId === null || this.owners.owns(target.userId)) return this.#withOthers(await begin(), after);
    // Before anything is stored: a payment that is begun must be able to wait.
    const place = this.owners.takePlace();
    if (place === null) {
      throw new SettleError(
        'service_unavailable',
        'Too many payments wait for other instances. Send it again shortly.',
      );
    }
    try {
      return await this.#withOthers(await begin(), after, () => () => undefined);
    } finally {
      place();
    }
  }

  /** As `TransferSteps.bring`, to the end: also where the payment's creation or the action needs other owners. */
  async bring(paymentId: string, action: Action | null, traceparent?: string): Promise<Brought> {
    const brought = await this.steps.bring(paymentId, action, { traceparent });
    return this.#withOthers(brought, { walletIds: action?.walletIds ?? [], traceparent });
  }

  /** As `TransferSteps.bring`, as far as this instance's wallets go: what is left is for others' workers. */
  goOn(paymentId: string, action: Action | null): Promise<Brought> {
    return this.steps.bring(paymentId, action);
  }

  /** As `TransferSteps.continue`. It asks nobody: whoever asks two others asks one after the other. */
  continue(paymentId: string, walletId: string, traceparent?: string): Promise<Brought> {
    return this.steps.continue(paymentId, walletId, traceparent);
  }

  async #withOthers(
    begun: Brought,
    after: After,
    takePlace: () => Place | null = () => this.owners.takePlace(),
  ): Promise<Brought> {
    let brought = begun;
    for (let asked = 0; brought.waitsForWalletId !== null; asked += 1) {
      const { paymentId, payment, waitsForWalletId, action } = brought;
      const place = asked < LIMITS.payments.appendTries ? takePlace() : null;
      const ask = () => this.owners.continue(paymentId, waitsForWalletId, after.traceparent);
      const position = place === null ? null : await ask().finally(place);
      if (position === null) {
        // Who is paid has the money for good: the credit follows.
        if (action === null && payment.status === 'settled') return brought;
        throw new SettleError(
          'outcome_unknown',
          `Payment ${paymentId} is under way. Read it before you send it again.`,
        );
      }
      const shownAt = Math.max(position, brought.position);
      if (action === null && payment.status !== 'pending') return { ...brought, position: shownAt };
      // Of wallets that are not ours only the journal tells what their owners have done.
      await this.untilShown(shownAt, after.traceparent);
      brought = await this.steps.bring(paymentId, action, { ...after, position: shownAt });
    }
    return brought;
  }
}
