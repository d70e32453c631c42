import {
  formatIsoDateUs,
  formatAmount,
  type CreatedPayment,
  type PaymentView,
  type TargetView,
} from '@settle/contracts';
import { printParty } from './users.js';

/** Serializes an entry of a list, and the result of PUT: the interface leaves out fee, refund and medium there. */
export function printListedPayment(payment: PaymentView): object {
  return {
    id: payment.id,
    status: payment.status,
    action: payment.action,
    amount: signedAmount(payment),
    note: payment.note,
    audience: payment.audience,
    date_created: formatIsoDateUs(payment.createdAtUs),
    date_completed: completedAt(payment),
    actor: printParty(payment.actor),
    target: printTarget(payment.target),
  };
}

/** Serializes a payment with all of its fields. */
export function printPayment(payment: PaymentView): object {
  return {
    id: payment.id,
    status: payment.status,
    action: payment.action,
    amount: signedAmount(payment),
    note: payment.note,
    audience: payment.audience,
    medium: payment.medium,
    date_created: formatIsoDateUs(payment.createdAtUs),
    date_completed: completedAt(payment),
    actor: printParty(payment.actor),
    target: printTarget(payment.target),
    fee: payment.feeCents === null ? null : formatAmount(payment.feeCents),
    refund: payment.refund === null ? null : printPayment(payment.refund),
  };
}

/** Serializes the data of POST /payments. */
export function printCreatedPayment(created: CreatedPayment): object {
  return { balance: formatAmount(created.balanceCents), payment: printPayment(created.payment) };
}

function signedAmount(payment: PaymentView): number {
  return formatAmount(payment.action === 'charge' ? -payment.amountCents : payment.amountCents);
}

function completedAt(payment: PaymentView): string | null {
  return payment.completedAtUs === null ? null : formatIsoDateUs(payment.completedAtUs);
}

function printTarget(target: TargetView): object {
  return {
    type: target.type,
    email: target.email,
    phone: target.phone,
    user: target.user === null ? null : printParty(target.user),
  };
}
