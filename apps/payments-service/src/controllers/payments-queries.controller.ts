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
  type Balance,
  type KnownVersion,
  type PaymentView,
  type PaymentsPage,
} from '@settle/contracts';
import { OnRequest } from '@settle/messaging';
import { Controller } from '@nestjs/common';
import { orUnavailable } from '../database-away.js';
import type { Ledger } from '../ledger.js';
import { Ledgers } from '../ledgers.js';
import { untilKnown } from '../people/until-known.js';
import { shownPayment, type ShownPayment } from '../projections/payments/shown-payment.js';

/** Those who wait for a change of people take no places of those who read. */
const WAITING_FOR_PEOPLE = { inProgress: LIMITS.payments.usersKnownWaiting, waiting: 0 };

/** The queries of the payments service, answered from the read models of the environment that is asked for. */
@Controller()
export class PaymentsQueries {
  constructor(private readonly ledgers: Ledgers) {}

  @OnRequest(getPayment)
  async get({ paymentId, viewerId, environment }: GetPayment): Promise<PaymentView> {
    const ledger = this.ledgers[environment];
    const payment = await orUnavailable(paymentIn(ledger, paymentId));
    if (payment === null || (payment.actorId !== viewerId && payment.targetUserId !== viewerId)) {
      throw new SettleError('resource_not_found', 'There is no such payment.');
    }
    const [view] = await orUnavailable(ledger.views.ofShown([payment]));
    if (view === undefined) throw new Error(`Payment ${paymentId} has no view`);
    return view;
  }

  @OnRequest(listPayments)
  async list(query: ListPayments): Promise<PaymentsPage> {
    const ledger = this.ledgers[query.environment];
    const { payments, next } = await orUnavailable(ledger.payments.list(query));
    return { payments: await orUnavailable(ledger.views.ofShown(payments)), next };
  }

  @OnRequest(getBalance)
  async balance({ userId, environment }: GetBalance): Promise<Balance> {
    return { balanceCents: await orUnavailable(this.ledgers[environment].payments.balanceCents(userId)) };
  }

  @OnRequest(usersKnown, { limits: WAITING_FOR_PEOPLE })
  async known(asked: UsersKnown): Promise<KnownVersion> {
    return { version: await orUnavailable(untilKnown(this.ledgers.people, asked)) };
  }
}

/** What the read model does not show yet is looked for among the events: whoever got a 504 asks here. */
async function paymentIn({ payments, histories, views }: Ledger, paymentId: string): Promise<ShownPayment | null> {
  const shown = await payments.byId(paymentId);
  if (shown !== null) return shown;
  const { payment } = await histories.payment(paymentId);
  if (payment.status === 'none') return null;
  const stored = shownPayment(paymentId, payment);
  return { ...stored, targetUserId: await views.targetUserId(stored) };
}
