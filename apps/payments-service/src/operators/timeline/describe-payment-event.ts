import { formatDollars } from '@settle/contracts';
import type { EventTarget, PaymentEvent, PaymentFacts } from '@settle/payments-domain';

/** Returns a user's username with the id; the id alone if the user is not known here. */
export type NameUser = (userId: string) => string;

const FAILURES = {
  insufficient_funds: 'the balance did not cover it, and no source was charged',
  funding_declined: 'the payment provider declined the charge',
  funding_cancelled: 'the charge at the payment provider was cancelled',
} as const;

const CANCELLATIONS = {
  denied: 'the charged user denied it',
  cancelled_by_actor: 'the user who created it cancelled it',
  claimed_by_payer: 'the payer verified the address to which it was sent',
} as const;

/** Describes an event of a payment's stream in one sentence without a full stop. Notes are left out. */
export function describePaymentEvent(event: PaymentEvent, nameUser: NameUser): string {
  switch (event.type) {
    case 'PaymentCreated':
      return describeCreation(event.data, nameUser);
    case 'PaymentSettled': {
      const source = event.data.isFromSource === true ? ', from a source at the payment provider' : '';
      return `settled: the money goes to its payee${source}; the final target is ${nameUser(event.data.targetUserId)}`;
    }
    case 'PaymentFailed':
      return `failed: ${FAILURES[event.data.reason]}`;
    case 'PaymentExpired':
      return `expired: it was not completed in time${describeRefund(event.data.refundId)}`;
    case 'PaymentCancelled':
      return `cancelled: ${CANCELLATIONS[event.data.reason]}${describeRefund(event.data.refundId)}`;
  }
}

/** Describes who pays whom how much, through which app. */
function describeCreation(facts: PaymentFacts, nameUser: NameUser): string {
  const [actor, target] = [nameUser(facts.actorId), describeTarget(facts.target, nameUser)];
  const fee = facts.feeCents === 0 ? '' : `, with a fee of ${formatDollars(facts.feeCents)}`;
  const amount = `${formatDollars(facts.amountCents)}${fee}`;
  return `created through the app ${facts.appId}: ${describeMode(facts, { actor, target, amount })}`;
}

function describeMode(
  { mode, refundOf }: PaymentFacts,
  { actor, target, amount }: Readonly<Record<'actor' | 'target' | 'amount', string>>,
): string {
  switch (mode) {
    case 'transfer':
      return `${actor} pays ${target} ${amount}`;
    case 'hold':
      return `${actor} pays ${target} ${amount}; the money is held until a user verifies the address`;
    case 'request':
      return `${actor} charges ${target} ${amount}; it waits for approval`;
    case 'trusted':
      return `${actor} charges ${target} ${amount}, who lets ${actor} charge without approval`;
    case 'refund':
      return `refund of the held payment ${refundOf}: ${amount}`;
    case 'scripted':
      return `${actor} and the sandbox's test user, ${amount}; it moves no money`;
  }
}

function describeTarget({ type, userId, address }: EventTarget, nameUser: NameUser): string {
  return userId === null ? `the ${type === 'email' ? 'e-mail address' : type} ${address}` : nameUser(userId);
}

function describeRefund(refundId: string | null): string {
  return refundId === null ? '' : `; payment ${refundId} is its refund`;
}
