import { hash } from 'node:crypto';
import type { NewEvent } from '@settle/event-store';
import { paymentEventName, type PaymentEvent, type UserEvent, type WalletEvent } from '@settle/payments-domain';
import { fundingStream, userStream, type FundingEvent } from './streams.js';

/** Returns an event of a payment's stream. The same step always has the same id. */
export function newPaymentEvent(paymentId: string, event: PaymentEvent): NewEvent {
  const id = stepId(`${paymentId}/${paymentEventName(event)}`);
  return { id, type: event.type, data: event.data, ...belongingTo(paymentId) };
}

/**
 * Returns an event of a wallet's stream. The same step always has the same id. `deposit` distinguishes deposits from before
 * they had a stream that decides them, which belong to no payment.
 */
export function newWalletEvent(walletId: string, event: WalletEvent, deposit = ''): NewEvent {
  const { type, data } = event;
  const attempt = 'attempt' in data ? data.attempt : 0;
  const source = 'sourceId' in data ? data.sourceId : '';
  const owner = data.paymentId ?? ('fundingId' in data ? data.fundingId : null) ?? deposit;
  // A debit from the balance and a credit, which most payments consist of, have no keys.
  const isPlain = type === 'FundsCredited' || (type === 'FundsDebited' && typeof data.chargeKey !== 'string');
  const keys = isPlain ? '' : keysOf(data);
  const id = stepId(`${owner}/${walletId}/${type}/${attempt}/${source}${keys}`);
  // A reversal has a stream of its own, whatever payment or deposit the money came with.
  const process = 'reversalId' in data ? data.reversalId : owner;
  return { id, type, data, ...belongingTo(process === '' ? walletId : process) };
}

/** Returns an event of a funding stream. Events with different contents have different ids. */
export function newFundingEvent({ kind, id, event: { type, data } }: FundingEvent): NewEvent {
  const eventId = stepId(`${fundingStream(kind, id)}/${type}/${hash('sha256', JSON.stringify(data))}`);
  return { id: eventId, type, data, ...belongingTo(id) };
}

/** Returns the event of a user's stream at this revision. The same event at the same place always has the same id. */
export function newUserEvent(userId: string, revision: number, { type, data }: UserEvent): NewEvent {
  return { id: stepId(`${userStream(userId)}/${revision}/${type}`), type, data, ...belongingTo(userId) };
}

/**
 * Returns the correlation of an event of a payment, deposit, withdrawal, reversal or contradiction. Where the writer names
 * no command or event as the cause, the process itself is the cause.
 */
export function belongingTo(id: string): Required<Pick<NewEvent, 'correlationId' | 'causationId'>> {
  return { correlationId: id, causationId: id };
}

/** Names of the fields that distinguish events with equal owners, types, attempts and sources. */
const KEYS = ['chargeKey', 'key', 'repaymentKey', 'reversalId', 'beginBeforeUs', 'isLate', 'reason'] as const;
type Keys = WalletEvent['data'] & Readonly<Partial<Record<(typeof KEYS)[number], unknown>>>;

/**
 * Events without these keys have the ids that they had before there were any. The moment of an intent is part of its id:
 * an instance that loses against the same intent of another one must read the moment that is stored.
 */
function keysOf(data: Keys): string {
  let keys = '';
  for (const name of KEYS) {
    const value = data[name];
    if (value !== undefined && value !== null) keys += `/${name}=${String(value)}`;
  }
  return keys;
}

/** Namespace of object identifiers (RFC 9562), then space for the name. */
const NAMED = Buffer.alloc(1024);
const NAME_AT = NAMED.write('6ba7b8129dad11d180b400c04fd430c8', 'hex');
const VARIANTS = '89ab';

/** Returns the UUID of version 5 (RFC 9562) of a name. @param name at most 1,008 ASCII characters */
export function stepId(name: string): string {
  const end = NAME_AT + NAMED.write(name, NAME_AT, 'latin1');
  const hex = hash('sha1', NAMED.subarray(0, end));
  const variant = VARIANTS[Number.parseInt(hex.charAt(16), 16) & 3];
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
