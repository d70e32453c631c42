import {
  hasRow,
  sourceIdIn,
  transferOf,
  type FeeLine,
  type TouchedPayment,
  type WalletLine,
} from '../projection/batch-fold.js';
import { openWorkOf, type OpenWork } from '../read-models/open-work/open-work.js';
import { addressKeyOf, paymentRowOf } from '../read-models/payments/payment-row.js';

/** Returns the journal row of a wallet event. */
export function journalRow({ walletId, revision, event, entry }: WalletLine) {
  return {
    wallet_id: walletId,
    revision,
    payment_id: event.data.paymentId,
    event_type: event.type,
    debit_account: entry.debitAccount,
    credit_account: entry.creditAccount,
    amount_cents: entry.amountCents,
    balance_cents: event.data.balanceCents,
    attempt: 'attempt' in event.data ? event.data.attempt : null,
    source_id: sourceIdIn(event),
  };
}

export function feeRow({ paymentId, entry }: FeeLine) {
  return {
    payment_id: paymentId,
    debit_account: entry.debitAccount,
    credit_account: entry.creditAccount,
    amount_cents: entry.amountCents,
  };
}

/** Returns the payment's row; null if its PaymentCreated is missing. */
export function paymentRow(touched: TouchedPayment) {
  if (!hasRow(touched)) return null;
  const row = paymentRowOf(touched.paymentId, touched.payment);
  const { targetType, targetAddress } = row;
  return {
    id: row.id,
    status: row.status,
    mode: row.mode,
    action: row.action,
    amount_cents: row.amountCents,
    fee_cents: row.feeCents,
    audience: row.audience,
    medium: row.medium,
    actor_id: row.actorId,
    target_type: targetType,
    target_user_id: row.targetUserId,
    target_address: targetAddress,
    target_key: addressKeyOf(row),
    created_us: row.createdAtUs,
    completed_us: row.completedAtUs,
    refund_id: row.refundId,
    refund_of: row.refundOf,
    revision: touched.revision,
    note: row.note,
  };
}

/** Returns the payment's open work; its start time depends on the projector and is not compared. */
export function openWork(touched: TouchedPayment): OpenWork | null {
  return openWorkOf(transferOf(touched), 0);
}

export function workRow({ paymentId, act, ownerId }: OpenWork) {
  return { payment_id: paymentId, act, owner_id: ownerId };
}
