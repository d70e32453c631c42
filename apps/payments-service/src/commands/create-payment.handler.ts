import type { CreatePayment, CreatedPayment, MaybeReplayed, UserRecord } from '@settle/contracts';
import { payerIdOf, scriptedBalanceCents, type FeeRate, type PaymentCreated } from '@settle/payments-domain';
import type { PaymentTexts } from '../data-keys/payment-texts.js';
import type { Clock } from '../storage/clock.js';
import { orUnavailable, orUnknown } from '../storage/database-unavailable.js';
import type { ProjectionWaiter } from '../projection/projection-waiter.js';
import type { UserReplica } from '../user-replica/user-replica.js';
import type { PaymentViews } from '../read-models/payments/payment-views.js';
import type { PaymentsQuery } from '../read-models/payments/payments-query.js';
import { computeGiveUpAtMs } from '../transfer/give-up-at.js';
import type { PaymentHistoryReader } from '../transfer/payment-history.js';
import type { PaymentFunding } from '../transfer/payment-funding.js';
import type { TransferCoordinator } from '../transfer/transfer-coordinator.js';
import type { TransferResult } from '../transfer/transfer-runner.js';
import { creationDemand } from '../user-limits/demands.js';
import { AboveTrust, isAboveLimit } from '../user-limits/exceeded-error.js';
import type { UserLimits } from '../user-limits/user-limits.js';
import { asRequest, buildPaymentCreated } from './build-payment-created.js';
import { createdPaymentId } from './idempotency/created-payment-id.js';
import type { IdempotentCommands } from './idempotency/idempotent-commands.js';
import { refuseUnknownAmount } from './scripted-payment.js';

export interface CreatePaymentDependencies {
  readonly idempotency: IdempotentCommands;
  readonly users: UserReplica;
  /** Encrypts the note and the address. */
  readonly texts: PaymentTexts;
  /** Null: users have no limits. */
  readonly userLimits: UserLimits | null;
  readonly transfers: TransferCoordinator;
  /** Null: no provider is set. */
  readonly funding: PaymentFunding | null;
  readonly histories: PaymentHistoryReader;
  readonly views: PaymentViews;
  readonly payments: PaymentsQuery;
  readonly projectionWaiter: Pick<ProjectionWaiter, 'beforeResponse' | 'beforeRead'>;
  readonly fee: FeeRate;
  readonly clock: Clock;
}

/** Creates payments of one environment. */
export class CreatePaymentHandler {
  constructor(private readonly dependencies: CreatePaymentDependencies) {}

  /**
   * Creates the payment, or returns the response to the same command sent before. Errors: those of the contract
   * `createPayment`.
   * @param traceparent of the enclosing span
   */
  async handle(command: CreatePayment, traceparent?: string): Promise<CreatedPayment & MaybeReplayed> {
    refuseUnknownAmount(command);
    return this.dependencies.idempotency.runOnce(command, (ids, mayExist) =>
      this.#create({ ...command, ...ids }, mayExist, traceparent),
    );
  }

  async #create(command: CreatePayment, mayExist: boolean, traceparent?: string): Promise<CreatedPayment> {
    const { histories, transfers, funding, views, projectionWaiter } = this.dependencies;
    const existingId = mayExist ? await orUnavailable(createdPaymentId(histories, command)) : null;
    const [stored, users] =
      existingId === null
        ? await this.#createWithinLimits(command, traceparent)
        : [await transfers.advance(existingId, null, { traceparent })];
    const result = funding === null ? stored : await funding.settle(stored, command.beginBeforeMs);
    const { paymentId, payment, position } = result;
    const response = Promise.all([
      views.viewOf(paymentId, payment, users),
      projectionWaiter.beforeResponse(position, traceparent),
    ]);
    const [view] = await orUnknown(paymentId, response);
    return { payment: view, balanceCents: await this.#balanceAfter(result, command.actorId) };
  }

  /** A charge above what the payer trusts the actor with becomes a request. */
  async #createWithinLimits(
    command: CreatePayment,
    traceparent?: string,
  ): Promise<[TransferResult, ReadonlyMap<string, UserRecord>]> {
    const { users, texts, fee, clock, userLimits, transfers, histories } = this.dependencies;
    const terms = { fee, atUs: clock.nowUs(), traceparent };
    const built = await orUnavailable(buildPaymentCreated(command, users, terms));
    const sealed = await orUnavailable(texts.seal(built.created));
    const { paymentId, appAmountPerDayCents = null } = command;
    const create = (created: PaymentCreated): Promise<TransferResult> => {
      const payerId = payerIdOf(created.data, created.data.target.userId);
      const sourceId = payerId === null ? null : (built.users.get(payerId)?.fundingSourceId ?? null);
      const { trustAmountPerDayCents } = built;
      const demand = creationDemand(created.data, { appAmountPerDayCents, trustAmountPerDayCents });
      const payment = {
        paymentId,
        created,
        sourceId,
        giveUpAtMs: computeGiveUpAtMs(command.beginBeforeMs),
        traceparent,
      };
      const work = () => transfers.create(payment);
      return demand === null || userLimits === null ? work() : userLimits.admit(demand, work);
    };
    try {
      const result = await create(sealed).catch((error: unknown) => {
        if (error instanceof AboveTrust) return create(asRequest(sealed));
        throw error;
      });
      return [result, built.users];
    } catch (error) {
      if (!isAboveLimit(error)) throw error;
      // A command that was delivered before may itself have used up the limit that now refuses it.
      const existingId = await orUnavailable(createdPaymentId(histories, command));
      if (existingId === null) throw error;
      return [await transfers.advance(existingId, null, { traceparent }), built.users];
    }
  }

  async #balanceAfter({ paymentId, payment, balances }: TransferResult, actorId: string): Promise<number> {
    if (payment.facts.mode === 'scripted') return scriptedBalanceCents(payment.facts);
    return balances.get(actorId) ?? orUnknown(paymentId, this.#readBalanceCents(actorId));
  }

  async #readBalanceCents(userId: string): Promise<number> {
    const { projectionWaiter, payments } = this.dependencies;
    await projectionWaiter.beforeRead();
    return payments.readBalanceCents(userId);
  }
}
