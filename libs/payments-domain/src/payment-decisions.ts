import { ACTING_PARTIES, PARTY_BY_ACTION, type ErrorCode, type RequestAction } from '@settle/contracts';
import type { CancelReason, PaymentCreated, PaymentEvent, PaymentMode } from './payment-events.js';
import type { ExistingPayment, PaymentState } from './payment.js';

/** The state of the payer's wallet, the approver's for an approval. */
interface OpenFunding {
  /** Whether its source has not answered: `isFundingOpen`. */
  readonly isFundingOpen?: boolean;
  /** Whether its source, at the provider, paid the debit. */
  readonly isFromSource?: boolean;
}

/** An action of a user. `targetUserId` is the current target, including the owner of a verified address. */
interface Act extends OpenFunding {
  readonly type: RequestAction;
  readonly byUserId: string;
  readonly targetUserId: string | null;
  /** Id of the payment that refunds a held pay, if the action ends one. */
  readonly refundId: string;
  readonly atUs: number;
}

export type PaymentCommand =
  | { readonly type: 'create'; readonly created: PaymentCreated }
  | Act
  | (OpenFunding & {
      readonly type: 'claim';
      readonly claimantId: string;
      readonly refundId: string;
      readonly atUs: number;
    })
  | (OpenFunding & {
      readonly type: 'expire';
      readonly targetUserId: string | null;
      readonly refundId: string;
      readonly dueAfterUs: number;
      readonly atUs: number;
    });

export interface Refusal {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * `append`: store this event. `debit`: debit this user's wallet, then `nextStep` settles. `already`: the command took
 * effect before; nothing to do.
 */
export type PaymentDecision =
  | { readonly kind: 'append'; readonly event: PaymentEvent }
  | { readonly kind: 'debit'; readonly walletId: string }
  | { readonly kind: 'already' }
  | Refusal;

const ALREADY: PaymentDecision = { kind: 'already' };

/** Returns how a new payment moves money. `targetUserId` is null if no user has verified the address. */
export function modeOf(action: 'pay' | 'charge', targetUserId: string | null, isTrusted: boolean): PaymentMode {
  if (action === 'pay') return targetUserId === null ? 'hold' : 'transfer';
  return targetUserId !== null && isTrusted ? 'trusted' : 'request';
}

/**
 * Decides a command on a payment whose creation is complete, or waits for its source (`isFundingOpen`). Nothing is held
 * then, so that an end names no refund, an approval is `already` in progress, and a claim is refused until it is funded.
 * Never changes a payment that has ended.
 * Refusals: `resource_not_found`, `not_permitted`, `cannot_pay_self`, `payment_not_pending`.
 */
export function decidePayment(command: PaymentCommand, payment: PaymentState): PaymentDecision {
  if (command.type === 'create') {
    return payment.status === 'none' ? { kind: 'append', event: command.created } : ALREADY;
  }
  if (payment.status === 'none') return refuse('resource_not_found', 'There is no such payment.');
  switch (command.type) {
    case 'claim':
      return claim(command, payment);
    case 'expire':
      return expire(command, payment);
    default:
      return act(command, payment);
  }
}

function act(command: Act, payment: ExistingPayment): PaymentDecision {
  const { type, byUserId, targetUserId } = command;
  const { actorId } = payment.facts;
  if (byUserId !== actorId && byUserId !== targetUserId) {
    return refuse('resource_not_found', 'There is no such payment.');
  }
  const party = PARTY_BY_ACTION[type];
  if (byUserId !== { actor: actorId, target: targetUserId }[party]) {
    return refuse('not_permitted', `Only ${ACTING_PARTIES[party]} may ${type} it.`);
  }
  if (tookEffect(command, payment)) return ALREADY;
  switch (type) {
    case 'approve':
    case 'deny':
      return answerRequest(command, payment);
    case 'cancel': {
      if (payment.status !== 'pending') return ended(payment);
      const refundId = refundIdOf(command, payment);
      return { kind: 'append', event: cancelled(command, 'cancelled_by_actor', refundId) };
    }
  }
}

/** If two users approved while an address changed its owner, one has paid. */
function tookEffect({ type, byUserId }: Act, payment: ExistingPayment): boolean {
  switch (type) {
    case 'approve':
      return isCharge(payment) && payment.status === 'settled' && payment.targetUserId === byUserId;
    case 'deny':
      return payment.status === 'cancelled' && payment.reason === 'denied';
    case 'cancel':
      return payment.status === 'cancelled' && payment.reason === 'cancelled_by_actor';
  }
}

function answerRequest(command: Act, payment: ExistingPayment): PaymentDecision {
  if (payment.status !== 'pending') return ended(payment);
  if (!isCharge(payment)) return refuse('not_permitted', `You can ${command.type} a charge, not a pay.`);
  if (command.type === 'deny') return { kind: 'append', event: cancelled(command, 'denied', null) };
  if (command.byUserId === payment.facts.actorId) {
    return refuse('cannot_pay_self', 'You made this charge yourself. Cancel it instead.');
  }
  if (command.isFundingOpen === true) return ALREADY;
  return { kind: 'debit', walletId: command.byUserId };
}

function isCharge({ facts }: ExistingPayment): boolean {
  return facts.mode === 'request' || facts.mode === 'trusted';
}

function claim(command: Extract<PaymentCommand, { type: 'claim' }>, payment: ExistingPayment): PaymentDecision {
  if (payment.facts.mode !== 'hold') return refuse('not_permitted', 'Only a held pay can be claimed.');
  if (payment.status !== 'pending') return ended(payment);
  if (command.isFundingOpen === true) return refuse('not_permitted', 'It is not funded yet.');
  const { claimantId: targetUserId, refundId, atUs } = command;
  if (targetUserId === payment.facts.actorId) {
    return { kind: 'append', event: cancelled({ targetUserId, atUs }, 'claimed_by_payer', refundId) };
  }
  const data = { targetUserId, atUs };
  const { isFromSource = false } = command;
  return { kind: 'append', event: { type: 'PaymentSettled', data: isFromSource ? { ...data, isFromSource } : data } };
}

function expire(command: Extract<PaymentCommand, { type: 'expire' }>, payment: ExistingPayment): PaymentDecision {
  if (payment.status !== 'pending') return ended(payment);
  if (command.atUs < payment.facts.atUs + command.dueAfterUs) return refuse('not_permitted', 'It is not due yet.');
  const refundId = refundIdOf(command, payment);
  const { targetUserId, atUs } = command;
  return { kind: 'append', event: { type: 'PaymentExpired', data: { refundId, targetUserId, atUs } } };
}

/** Only a held pay that is funded is refunded by a payment of its own. */
function refundIdOf(command: OpenFunding & { refundId: string }, { facts }: ExistingPayment): string | null {
  return facts.mode === 'hold' && command.isFundingOpen !== true ? command.refundId : null;
}

function cancelled(
  { targetUserId, atUs }: Pick<Act, 'targetUserId' | 'atUs'>,
  reason: CancelReason,
  refundId: string | null,
): PaymentEvent {
  return { type: 'PaymentCancelled', data: { reason, refundId, targetUserId, atUs } };
}

function ended(payment: ExistingPayment): Refusal {
  return refuse('payment_not_pending', `This payment is ${payment.status} and can no longer change.`);
}

function refuse(code: ErrorCode, message: string): Refusal {
  return { kind: 'refused', code, message };
}
