import { SettleError, type ActOnPayment, type MaybeReplayed, type PaymentView } from '@settle/contracts';
import type { ExistingPayment } from '@settle/payments-domain';
import type { Clock } from '../storage/clock.js';
import { orUnavailable, orUnknown } from '../storage/database-unavailable.js';
import type { UserReplica } from '../user-replica/user-replica.js';
import { transferBlock } from '../user-replica/relations.js';
import type { PaymentViews } from '../read-models/payments/payment-views.js';
import { paymentRowOf } from '../read-models/payments/payment-row.js';
import type { PaymentHistoryReader } from '../transfer/payment-history.js';
import type { TransferCoordinator } from '../transfer/transfer-coordinator.js';
import { approvalDemand } from '../user-limits/demands.js';
import type { UserLimits } from '../user-limits/user-limits.js';
import type { IdempotentCommands } from './idempotency/idempotent-commands.js';
import { refuseUnlessApproved, requestAction, type Actor } from './payment-actions.js';

export interface ActOnPaymentDependencies {
  readonly idempotency: IdempotentCommands;
  readonly users: UserReplica;
  /** Null: users have no limits. */
  readonly userLimits: UserLimits | null;
  readonly transfers: TransferCoordinator;
  readonly histories: PaymentHistoryReader;
  readonly views: PaymentViews;
  readonly awaitProjection: (position: number, traceparent: string | undefined) => Promise<unknown>;
  readonly clock: Clock;
}

/** Approves, denies and cancels payments of one environment. */
export class ActOnPaymentHandler {
  constructor(private readonly dependencies: ActOnPaymentDependencies) {}

  /**
   * Applies the action, or returns the response to the same command sent before. Errors: those of the contract
   * `actOnPayment`.
   * @param traceparent of the enclosing span
   */
  handle(command: ActOnPayment, traceparent?: string): Promise<PaymentView & MaybeReplayed> {
    return this.dependencies.idempotency.runOnce(command, () => this.#act(command, traceparent));
  }

  async #act(command: ActOnPayment, traceparent?: string): Promise<PaymentView> {
    const { transfers, clock, views, userLimits, awaitProjection } = this.dependencies;
    const isApproval = command.action === 'approve';
    const [actor, before] = await orUnavailable(this.#load(command));
    const action = requestAction(command.action, actor, clock.nowUs());
    const demand = isApproval ? approvalDemand(before, actor, command.appAmountPerDayCents ?? null) : null;
    const work = () => transfers.advance(command.paymentId, action, traceparent);
    const { paymentId, payment, position } = await (demand === null || userLimits === null
      ? work()
      : userLimits.admit(demand, work));
    await awaitProjection(position, traceparent);
    if (isApproval) refuseUnlessApproved(payment, actor);
    return orUnknown(paymentId, views.viewOf(paymentId, payment));
  }

  /** Reads the payment and what a decision needs to know of the user who acts on it. */
  async #load({ paymentId, actorId: byUserId, appId }: ActOnPayment): Promise<[Actor, ExistingPayment]> {
    const { histories, views, users } = this.dependencies;
    const { payment } = await histories.readPayment(paymentId);
    if (payment.status === 'none') throw new SettleError('resource_not_found', 'There is no such payment.');
    const { actorId } = payment.facts;
    const targetUserId = await views.findTargetUserId(paymentRowOf(paymentId, payment));
    const user = await users.findUser(byUserId);
    const block = byUserId === actorId ? null : transferBlock(await users.findTwo(byUserId, actorId));
    return [{ byUserId, targetUserId, sourceId: user?.fundingSourceId ?? null, block, appId }, payment];
  }
}
