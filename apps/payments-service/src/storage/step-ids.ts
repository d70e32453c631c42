import { hash } from 'node:crypto';
import type { NewEvent } from '@settle/event-store';
import type { PaymentEvent, WalletEvent } from '@settle/payments-domain';

/** An event of a payment's stream with the id that the same step always has. */
export function newPaymentEvent(paymentId: string, event: PaymentEvent): NewEvent {
  return { id: stepId(`${paymentId}/${paymentStep(event)}`), type: event.type, data: event.data };
}

/**
 * An event of a wallet's stream with the id that the same step always has. `deposit` tells deposits apart, which
 * stand for no payment.
 */
export function newWalletEvent(walletId: string, event: WalletEvent, deposit = ''): NewEvent {
  const attempt = 'attempt' in event.data ? event.data.attempt : 0;
  const source = 'sourceId' in event.data ? event.data.sourceId : '';
  const step = `${event.data.paymentId ?? deposit}/${walletId}/${event.type}/${attempt}/${source}`;
  return { id: stepId(step), type: event.type, data: event.data };
}

/**
 * Events that differ must differ in their ids: at one revision the same id would pass for the same fact, and its
 * writer would answer with what is not stored. Both parties see the time, so it is part of the id.
 */
function paymentStep({ type, data }: PaymentEvent): string {
  switch (type) {
    case 'PaymentCreated':
      return `created/${data.commandId}/${data.atUs}`;
    case 'PaymentSettled':
      return `settled/${data.targetUserId}/${data.atUs}`;
    case 'PaymentFailed':
      return `failed/${data.atUs}`;
    case 'PaymentExpired':
      return `expired/${data.refundId}/${data.targetUserId}/${data.atUs}`;
    case 'PaymentCancelled':
      return `cancelled/${data.reason}/${data.refundId}/${data.targetUserId}/${data.atUs}`;
  }
}

/** Namespace of RFC 9562 for names that are none of its own kinds, then room for the name. */
const NAMED = Buffer.alloc(1024);
const NAME_AT = NAMED.write('6ba7b8129dad11d180b400c04fd430c8', 'hex');
const VARIANTS = '89ab';

/** UUID of version 5 (RFC 9562): the same name gives the same id. @param name at most 1,008 ASCII characters */
export function stepId(name: string): string {
  const end = NAME_AT + NAMED.write(name, NAME_AT, 'latin1');
  const hex = hash('sha1', NAMED.subarray(0, end));
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
