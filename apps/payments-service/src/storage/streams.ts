import type { EventStore, StoredEvent } from '@settle/event-store';
import type {
  ContradictionEvent,
  DepositEvent,
  PaymentEvent,
  ReversalEvent,
  UserEvent,
  WalletEvent,
  WithdrawalEvent,
} from '@settle/payments-domain';

const PAYMENT = 'payment-';
const WALLET = 'wallet-';
const USER = 'user-';

/** Prefixes of the streams of money from and to a provider, by kind. */
const FUNDING = {
  deposit: 'deposit-',
  withdrawal: 'withdrawal-',
  reversal: 'reversal-',
  contradiction: 'contradiction-',
} as const;

export type FundingKind = keyof typeof FUNDING;
const FUNDING_KINDS = Object.keys(FUNDING) as FundingKind[];

/** Prefixes of the ledger's streams. */
export const LEDGER_PREFIXES = [PAYMENT, WALLET, ...Object.values(FUNDING)] as const;

/** Prefixes of payments' streams. */
export const PAYMENT_PREFIXES = [PAYMENT] as const;

/** Prefixes of the streams whose events have lines in the journal. */
export const JOURNAL_PREFIXES = [PAYMENT, WALLET, FUNDING.withdrawal] as const;

/** Prefixes of the streams of users, which tell who joined, was frozen, thawed and closed. */
export const USER_PREFIXES = [USER] as const;

/** Matches all streams, including those outside the ledger. */
export const EVERY_STREAM = [''] as const;

/** Reads a payment's stream to its end: it has at most two events. */
export const WHOLE_PAYMENT = { direction: 'forwards', limit: 10 } as const;

/** Reads a funding stream to its end. A deposit has two events at most, a withdrawal five; contradictions repeat rarely. */
export const WHOLE_FUNDING = { direction: 'forwards', limit: 100 } as const;

/** Returns the events of a stream before one of its events, in order. Errors: those of the store. */
export async function readEarlierEvents(
  store: Pick<EventStore, 'readStream'>,
  { stream, revision }: Pick<StoredEvent, 'stream' | 'revision'>,
): Promise<StoredEvent[]> {
  if (revision === 0) return [];
  const range = { direction: 'backwards', fromRevision: revision - 1, limit: revision } as const;
  return (await store.readStream(stream, range)).reverse();
}

export const paymentStream = (paymentId: string): string => PAYMENT + paymentId;
export const walletStream = (userId: string): string => WALLET + userId;
export const userStream = (userId: string): string => USER + userId;

/** Returns the stream of a deposit, withdrawal or reversal, or of the contradictions about a provider's key. */
export const fundingStream = (kind: FundingKind, id: string): string => FUNDING[kind] + id;

/** Returns the id of the user with this stream. */
export const userIdOf = (stream: string): string => stream.slice(USER.length);

/** Returns the id of the payment with this stream. */
export const paymentIdOf = (stream: string): string => stream.slice(PAYMENT.length);

/** Whether an event is of a payment's stream. */
export const isOfPayment = ({ stream }: Pick<StoredEvent, 'stream'>): boolean => stream.startsWith(PAYMENT);

/** An event of a funding stream. */
export type FundingEvent =
  | { readonly kind: 'deposit'; readonly id: string; readonly event: DepositEvent }
  | { readonly kind: 'withdrawal'; readonly id: string; readonly event: WithdrawalEvent }
  | { readonly kind: 'reversal'; readonly id: string; readonly event: ReversalEvent }
  | { readonly kind: 'contradiction'; readonly id: string; readonly event: ContradictionEvent };

/** A stored event of the ledger with the payment, wallet or funding stream that it belongs to. */
export type LedgerEvent =
  | { readonly kind: 'payment'; readonly paymentId: string; readonly revision: number; readonly event: PaymentEvent }
  | { readonly kind: 'wallet'; readonly walletId: string; readonly revision: number; readonly event: WalletEvent }
  | ({ readonly revision: number } & FundingEvent);

/** Reads a stored event; its type decides which member of the union it is. Error: a stream outside the ledger. */
export function readLedgerEvent(stored: StoredEvent): LedgerEvent {
  const { stream, revision, type, data } = stored;
  const event = { type, data };
  if (stream.startsWith(PAYMENT)) {
    return { kind: 'payment', paymentId: paymentIdOf(stream), revision, event: event as PaymentEvent };
  }
  if (stream.startsWith(WALLET)) {
    return { kind: 'wallet', walletId: stream.slice(WALLET.length), revision, event: event as WalletEvent };
  }
  const kind = FUNDING_KINDS.find((each) => stream.startsWith(FUNDING[each]));
  if (kind === undefined) throw new RangeError(`The stream ${stream} is outside the ledger`);
  return { kind, id: stream.slice(FUNDING[kind].length), revision, event } as LedgerEvent;
}

/** Reads an event of a payment's stream. */
export function readPaymentEvent({ type, data }: StoredEvent): PaymentEvent {
  return { type, data } as PaymentEvent;
}

/** Reads an event of a wallet's stream. */
export function readWalletEvent({ type, data }: StoredEvent): WalletEvent {
  return { type, data } as WalletEvent;
}

/** Reads an event of a user's stream. */
export function readUserEvent({ type, data }: StoredEvent): UserEvent {
  return { type, data } as UserEvent;
}

/** Returns the time of an event of the ledger, in microseconds since 1970. */
export function timeUsOf({ data }: StoredEvent): number {
  return (data as { readonly atUs: number }).atUs;
}
