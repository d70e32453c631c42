import {
  formatIsoDateUs,
  formatAmount,
  type CreatedPayment,
  type PaymentView,
  type TargetView,
} from '@settle/contracts';
import { serializeParty } from './users.js';

/** Serializes an entry of a list, and the result of PUT: the interface leaves out fee, refund and medium there. */
export function serializeListedPayment(payment: PaymentView): object {
  return {
    id: payment.id,
    status: payment.status,
    action: payment.action,
    amount: signedAmount(payment),
    note: payment.note,
    audience: payment.audience,
    date_created: formatIsoDateUs(payment.createdAtUs),
    date_completed: completedAt(payment),
    actor: serializeParty(payment.actor),
    target: serializeTarget(payment.target),
  };
}

/** Serializes a payment with all of its fields. */
export function serializePayment(payment: PaymentView): object {
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
    actor: serializeParty(payment.actor),
    target: serializeTarget(payment.target),
    fee: payment.feeCents === null ? null : formatAmount(payment.feeCents),
    refund: payment.refund === null ? null : serializePayment(payment.refund),
  };
}

/** Serializes the data of POST /payments. */
export function serializeCreatedPayment(created: CreatedPayment): object {
  return { balance: formatAmount(created.balanceCents), payment: serializePayment(created.payment) };
}

function signedAmount(payment: PaymentView): number {
  return formatAmount(payment.action === 'charge' ? -payment.amountCents : payment.amountCents);
}

function completedAt(payment: PaymentView): string | null {
  return payment.completedAtUs === null ? null : formatIsoDateUs(payment.completedAtUs);
}

function serializeTarget(target: TargetView): object {
  return {
    type: target.type,
    email: target.email,
    phone: target.phone,
    user: target.user === null ? null : serializeParty(target.user),
  };
}
