import { LIMITS } from '@settle/config';
import {
  GetBalance,
  GetPayment,
  ListPayments,
  SettleError,
  UsersKnown,
  getBalance,
  getPayment,
  listPayments,
  usersKnown,
  type Environment,
} from '@settle/contracts';
import { OnRequest } from '@settle/messaging';
import { Controller } from '@nestjs/common';
import { orUnavailable } from '../storage/database-unavailable.js';
import type { Ledger } from '../ledger/ledger.js';
import { Ledgers } from '../ledger/ledgers.js';
import { awaitUserRecord } from '../user-replica/await-user-record.js';
import type { PaymentRow } from '../read-models/payments/payment-row.js';

/** Requests that wait for the user replica take no slots of queries. */
const WAITING_FOR_USERS = { inProgress: LIMITS.payments.usersKnownWaiting, waiting: 0 };

/** Answers the queries of the payments service from the read models of their environment. */
@Controller()
export class PaymentsQueries {
  constructor(private readonly ledgers: Ledgers) {}

  @OnRequest(getPayment)
  async get({ paymentId, viewerId, environment }: GetPayment) {
    const ledger = await this.#upToDate(environment);
    const payment = await orUnavailable(paymentIn(ledger, paymentId));
    if (payment === null || (payment.actorId !== viewerId && payment.targetUserId !== viewerId)) {
      throw new SettleError('resource_not_found', 'There is no such payment.');
    }
    const [view] = await orUnavailable(ledger.views.viewsOf([payment]));
    if (view === undefined) throw new Error(`Payment ${paymentId} has no view`);
    const { refundId } = payment;
    if (refundId === null || ledger.funding === null) return view;
    // The refund is written once the provider has the repayment, which may take days.
    const isRefunded = (await orUnavailable(ledger.payments.findPayment(refundId))) !== null;
    return isRefunded ? view : { ...view, refund: null };
  }

  @OnRequest(listPayments)
  async list(query: ListPayments) {
    const { lists } = await this.#upToDate(query.environment);
    return orUnavailable(lists.page(query));
  }

  @OnRequest(getBalance)
  async balance({ userId, environment }: GetBalance) {
    const { payments } = await this.#upToDate(environment);
    return { balanceCents: await orUnavailable(payments.readBalanceCents(userId)) };
  }

  @OnRequest(usersKnown, { limits: WAITING_FOR_USERS })
  async known(asked: UsersKnown) {
    return { version: await orUnavailable(awaitUserRecord(this.ledgers.users, asked)) };
  }

  /** Returns the ledger once its read models show every payment that a response told of. */
  async #upToDate(environment: Environment): Promise<Ledger> {
    const ledger = this.ledgers[environment];
    await ledger.projectionWaiter.beforeRead();
    return ledger;
  }
}

/** Reads the events of a payment that the read model does not show yet: after a 504 callers look for it here. */
async function paymentIn({ payments, histories, views }: Ledger, paymentId: string): Promise<PaymentRow | null> {
  const shown = await payments.findPayment(paymentId);
  if (shown !== null) return shown;
  const { payment } = await histories.readPayment(paymentId);
  if (payment.status === 'none') return null;
  return views.rowOf(paymentId, payment);
}
