import { SettleError, type ActOnPayment, type MaybeReplayed, type PaymentView } from '@settle/contracts';
import type { ExistingPayment } from '@settle/payments-domain';
import { orUnavailable, orUnknown } from '../storage/database-unavailable.js';
import { computeGiveUpAtMs } from '../transfer/give-up-at.js';
import { transferBlock } from '../user-replica/relations.js';
import { approvalDemand } from '../user-limits/demands.js';
import type { CreatePaymentDependencies } from './create-payment.handler.js';
import { refuseUnlessEffective, requestAction, type Actor } from './payment-actions.js';

/** Takes actions of users on payments of one environment. */
export class ActOnPaymentHandler {
  constructor(private readonly dependencies: Omit<CreatePaymentDependencies, 'texts' | 'payments' | 'fee'>) {}

  /**
   * Applies the action, or returns the response to the same command sent before. Errors: those of the contract
   * `actOnPayment`.
   * @param traceparent of the enclosing span
   */
  handle(command: ActOnPayment, traceparent?: string): Promise<PaymentView & MaybeReplayed> {
    return this.dependencies.idempotency.runOnce(command, () => this.#act(command, traceparent));
  }

  async #act(command: ActOnPayment, traceparent?: string): Promise<PaymentView> {
    const { transfers, funding, clock, views, userLimits, projectionWaiter } = this.dependencies;
    const [actor, before] = await orUnavailable(this.#load(command));
    const action = requestAction(command.action, actor, clock.nowUs(), command.commandId);
    const demand =
      command.action === 'approve' ? approvalDemand(before, actor, command.appAmountPerDayCents ?? null) : null;
    const options = { traceparent, giveUpAtMs: computeGiveUpAtMs(command.beginBeforeMs) };
    const work = () => transfers.advance(command.paymentId, action, options);
    const stored = await (demand === null || userLimits === null ? work() : userLimits.admit(demand, work));
    // The limits do not wait for the provider: other commands of the user may depend on them.
    const result = funding === null ? stored : await funding.settle(stored, command.beginBeforeMs);
    const { paymentId, payment, position } = result;
    await projectionWaiter.beforeResponse(position, traceparent);
    refuseUnlessEffective(command.action, result, actor);
    const view = await orUnknown(paymentId, views.viewOf(paymentId, payment));
    // The refund is written once the provider has the repayment.
    return result.calls.length === 0 ? view : { ...view, refund: null };
  }

  /** Reads the payment and what a decision needs to know of the user who acts on it. */
  async #load({ paymentId, actorId: byUserId, appId }: ActOnPayment): Promise<[Actor, ExistingPayment]> {
    const { histories, views, users } = this.dependencies;
    const { payment } = await histories.readPayment(paymentId);
    if (payment.status === 'none') throw new SettleError('resource_not_found', 'There is no such payment.');
    const { actorId } = payment.facts;
    const { targetUserId } = await views.rowOf(paymentId, payment);
    const user = await users.findUser(byUserId);
    const block = byUserId === actorId ? null : transferBlock(await users.findTwo(byUserId, actorId));
    return [{ byUserId, targetUserId, sourceId: user?.fundingSourceId ?? null, block, appId }, payment];
  }
}
