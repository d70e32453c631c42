import {
  normalizeAddress,
  type AddressKind,
  type Audience,
  type Medium,
  type PaymentAction,
  type PaymentStatus,
  type PaymentView,
  type UserCard,
  type TargetType,
  type TargetView,
} from '@settle/contracts';
import { storableText } from '../storable-text.js';
import { targetUserIdOf, type ExistingPayment, type PaymentMode } from '@settle/payments-domain';

/** A payment as the read model stores it: everything that its users see except names. */
export interface PaymentRow {
  readonly id: string;
  readonly status: PaymentStatus;
  readonly mode: PaymentMode;
  readonly action: PaymentAction;
  readonly amountCents: number;
  readonly feeCents: number;
  readonly note: string;
  readonly audience: Audience;
  readonly medium: Medium;
  readonly actorId: string;
  readonly targetType: TargetType;
  /** Target according to the payment's own events. */
  readonly targetUserId: string | null;
  /** As the sender spelled it; null if the target is a user. */
  readonly targetAddress: string | null;
  readonly createdAtUs: number;
  readonly completedAtUs: number | null;
  readonly refundId: string | null;
  /** Payment that this one refunds. */
  readonly refundOf: string | null;
}

/** Returns the row of a payment in this state, with its texts in storable form. */
export function paymentRowOf(id: string, payment: ExistingPayment): PaymentRow {
  const { facts, status } = payment;
  const isAbandoned = status === 'expired' || status === 'cancelled';
  return {
    id,
    status,
    mode: facts.mode,
    action: facts.action,
    amountCents: facts.amountCents,
    feeCents: facts.feeCents,
    note: storableText(facts.note),
    audience: facts.audience,
    medium: facts.medium,
    actorId: facts.actorId,
    targetType: facts.target.type,
    targetUserId: targetUserIdOf(payment),
    targetAddress: facts.target.address === null ? null : storableText(facts.target.address),
    createdAtUs: facts.atUs,
    completedAtUs: status === 'pending' ? null : payment.endedAtUs,
    refundId: isAbandoned ? payment.refundId : null,
    refundOf: facts.refundOf,
  };
}

/** Whether a text of the payment differs in storable form. */
export function hasReplacedText({ facts }: ExistingPayment, shown: PaymentRow): boolean {
  return shown.note !== facts.note || shown.targetAddress !== facts.target.address;
}

/**
 * Returns the form in which the address is compared with verified ones. Null if the payment has no address, and for the
 * sandbox's test user, who acts as an unknown owner.
 */
export function addressKeyOf(payment: Pick<PaymentRow, 'mode' | 'targetType' | 'targetAddress'>): string | null {
  return addressOf(payment)?.key ?? null;
}

/** As `addressKeyOf`, with the kind of address. */
export function addressOf({
  mode,
  targetType: kind,
  targetAddress,
}: Pick<PaymentRow, 'mode' | 'targetType' | 'targetAddress'>): { kind: AddressKind; key: string } | null {
  if (kind === 'user' || targetAddress === null || mode === 'scripted') return null;
  return { kind, key: normalizeAddress(kind, targetAddress) };
}

/** Returns the refund payment that a hold's end names. */
export function refundIn(payment: PaymentRow): PaymentRow | null {
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
  const { id, status, action, amountCents, feeCents, note, audience, medium, createdAtUs, completedAtUs } = payment;
  return {
    id,
    status,
    action,
    amountCents,
    feeCents: feeCents === 0 ? null : feeCents,
    note,
    audience,
    medium,
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
