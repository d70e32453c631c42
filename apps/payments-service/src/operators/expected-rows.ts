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

/** What a row of the journal must hold for an event of a wallet. */
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

/** Null for one that has no row: its Created is missing. */
export function paymentRow(touched: TouchedPayment) {
  if (!hasRow(touched)) return null;
  const shown = paymentRowOf(touched.paymentId, touched.payment);
  const { targetType, targetAddress } = shown;
  return {
    id: shown.id,
    status: shown.status,
    mode: shown.mode,
    action: shown.action,
    amount_cents: shown.amountCents,
    fee_cents: shown.feeCents,
    audience: shown.audience,
    medium: shown.medium,
    actor_id: shown.actorId,
    target_type: targetType,
    target_user_id: shown.targetUserId,
    target_address: targetAddress,
    target_key: addressKeyOf(shown),
    created_us: shown.createdAtUs,
    completed_us: shown.completedAtUs,
    refund_id: shown.refundId,
    refund_of: shown.refundOf,
    revision: touched.revision,
    note: shown.note,
  };
}

/** What is open in a payment; since when is the projector's own word and not compared. */
export function openWork(touched: TouchedPayment): OpenWork | null {
  return openWorkOf(transferOf(touched), 0);
}

export function workRow({ paymentId, act, ownerId }: OpenWork) {
  return { payment_id: paymentId, act, owner_id: ownerId };
}
