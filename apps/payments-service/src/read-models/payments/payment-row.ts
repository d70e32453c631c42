import {
  normalizeAddress,
  paymentTermsOf,
  type AddressKind,
  type PaymentView,
  type TargetView,
  type UserCard,
} from '@settle/contracts';
import { storableText } from '../storable-text.js';
import { targetUserIdOf, type ExistingPayment } from '@settle/payments-domain';

/** A payment as the read model stores it: everything that its users see except names. */
export type PaymentRow = Readonly<ReturnType<typeof paymentRowOf>>;

/** Returns the row of a payment in this state, with its texts in storable form. */
export function paymentRowOf(id: string, payment: ExistingPayment) {
  const { facts, status } = payment;
  const isAbandoned = status === 'expired' || status === 'cancelled';
  return {
    id,
    status,
    mode: facts.mode,
    ...paymentTermsOf(facts),
    note: storableText(facts.note),
    feeCents: facts.feeCents,
    audience: facts.audience,
    actorId: facts.actorId,
    targetType: facts.target.type,
    /** Target according to the payment's own events. */
    targetUserId: targetUserIdOf(payment),
    /** As the sender spelled it; null if the target is a user. */
    targetAddress: facts.target.address === null ? null : storableText(facts.target.address),
    createdAtUs: facts.atUs,
    completedAtUs: status === 'pending' ? null : payment.endedAtUs,
    refundId: isAbandoned ? payment.refundId : null,
    /** Payment that this one refunds. */
    refundOf: facts.refundOf,
  };
}

/** Whether a text of the payment differs in storable form. */
export function hasReplacedText({ facts }: ExistingPayment, shown: PaymentRow): boolean {
  return shown.note !== facts.note || shown.targetAddress !== facts.target.address;
}

/**
 * Returns the kind of address and the form in which it is compared with verified ones. Null if the payment has no address,
 * and for the sandbox's test user, who acts as an unknown owner.
 */
export function addressOf({
  mode,
  targetType: kind,
  targetAddress,
}: Pick<PaymentRow, 'mode' | 'targetType' | 'targetAddress'>): { kind: AddressKind; key: string } | null {
  if (kind === 'user' || targetAddress === null || mode === 'scripted') return null;
  return { kind, key: normalizeAddress(kind, targetAddress) };
}

/** Returns the refund payment that a hold's end names. */
function refundIn(payment: PaymentRow): PaymentRow | null {
  if (payment.refundId === null || payment.completedAtUs === null) return null;
  return {
    ...payment,
    id: payment.refundId,
    status: 'settled',
    mode: 'refund',
    feeCents: 0,
    audience: 'private',
    targetType: 'user',
    targetUserId: payment.actorId,
    targetAddress: null,
    createdAtUs: payment.completedAtUs,
    refundId: null,
    refundOf: payment.id,
  };
}

/** @param card returns the public fields of a user by id */
export function viewOf(payment: PaymentRow, card: (userId: string) => UserCard): PaymentView {
  const refund = refundIn(payment);
  const { id, status, feeCents, audience, createdAtUs, completedAtUs } = payment;
  return {
    id,
    status,
    ...paymentTermsOf(payment),
    feeCents: feeCents === 0 ? null : feeCents,
    audience,
    createdAtUs,
    completedAtUs,
    actor: card(payment.actorId),
    target: targetOf(payment, card),
    refund: refund === null ? null : viewOf(refund, card),
  };
}

function targetOf(payment: PaymentRow, card: (userId: string) => UserCard): TargetView {
  const { targetType: type, targetUserId, targetAddress } = payment;
  if (targetUserId !== null) return { type, user: card(targetUserId), email: null, phone: null };
  return {
    type,
    user: null,
    email: type === 'email' ? targetAddress : null,
    phone: type === 'phone' ? targetAddress : null,
  };
}
