import { forEachConcurrent } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { CURRENCY, formatIsoDateUs, ledgerEntries, type Movement, type PublicLedgerEntry } from '@settle/contracts';
import type { EventStore, StoredEvent } from '@settle/event-store';
import type { EventEnvelope } from '@settle/messaging';
import type { JournalEntry, WalletEvent } from '@settle/payments-domain';
import { BatchFold } from '../read-models/ledger/batch-fold.js';
import { readEarlierEvents, readLedgerEvent, timeUsOf, type LedgerEvent } from '../storage/streams.js';
import { buildRecordHeaders } from './record-headers.js';

/** A movement of money by a stored event. */
export interface StoredMovement {
  readonly stored: StoredEvent;
  readonly fact: LedgerEvent;
  readonly entry: JournalEntry;
}

/** Events whose line in the journal depends on the earlier events of their stream. */
const DEPENDENT_TYPES: ReadonlySet<string> = new Set(['PaymentSettled', 'WithdrawalPaid']);

/**
 * Returns the movements of money by these events, those of each stream in order, with the lines that the journal has of
 * them. Reads earlier events of streams where a line depends on them.
 * @param events of the streams of `JOURNAL_PREFIXES`, each stream's in order and without a gap
 */
export async function readMovements(
  store: Pick<EventStore, 'readStream'>,
  events: readonly StoredEvent[],
): Promise<StoredMovement[][]> {
  const byStream = Map.groupBy(events, ({ stream }) => stream);
  const movements: StoredMovement[][] = [];
  await forEachConcurrent([...byStream.values()], LIMITS.publishing.streamReads, async (ofOne) => {
    movements.push(movementsOf(await readEarlier(store, ofOne), ofOne));
  });
  return movements;
}

async function readEarlier(
  store: Pick<EventStore, 'readStream'>,
  events: readonly StoredEvent[],
): Promise<readonly StoredEvent[]> {
  const [first] = events;
  const isDependent = events.some(({ type }) => DEPENDENT_TYPES.has(type));
  return first === undefined || !isDependent ? [] : readEarlierEvents(store, first);
}

function movementsOf(earlier: readonly StoredEvent[], events: readonly StoredEvent[]): StoredMovement[] {
  const fold = new BatchFold([]);
  for (const stored of earlier) fold.add(readLedgerEvent(stored));
  return events.flatMap((stored) => {
    const fact = readLedgerEvent(stored);
    fold.add(fact);
    const line = takeLine(fold);
    // An event of a wallet that moves no money is a line of zero.
    return line === undefined || line.entry.amountCents === 0 ? [] : [{ stored, fact, entry: line.entry }];
  });
}

/** Removes the line that the newest event has added to the journal; undefined if it has added none. */
function takeLine({ walletLines, feeLines, funding }: BatchFold) {
  return walletLines.pop() ?? feeLines.pop() ?? funding.payoutLines.pop();
}

/** Builds the public entry. Every public field is named here: other data of an event is not published. */
function buildLedgerEntry({ stored, fact, entry }: StoredMovement): PublicLedgerEntry {
  return {
    eventId: stored.id,
    type: 'LedgerEntryPosted',
    schemaVersion: 1,
    position: stored.position,
    revision: stored.revision,
    occurredAt: formatIsoDateUs(timeUsOf(stored)),
    movement: movementOf(fact, entry),
    ...entry,
    currency: CURRENCY,
    ...ownersOf(fact),
  };
}

/** Builds the Kafka record of a movement. @param epoch under which the topic is filled */
export function buildEntryRecord(movement: StoredMovement, epoch: number): EventEnvelope {
  const { stored } = movement;
  const entry = buildLedgerEntry(movement);
  const { topic, pattern } = ledgerEntries;
  const key = keyOf(stored.stream);
  return {
    topic,
    pattern,
    key,
    payload: entry,
    headers: buildRecordHeaders({ ...entry, topic, key, epoch }),
    timestampMs: Math.floor(timeUsOf(stored) / 1_000),
  };
}

/** `wallet-1` is the key `wallet:1`, as the account of that wallet is called. */
const keyOf = (stream: string): string => stream.replace('-', ':');

/** Returns the stream of the records with this key; null if it is not a key of the topic. */
export function streamOfEntries(key: string): string | null {
  return /^(?:wallet|payment|withdrawal):./.test(key) ? key.replace(':', '-') : null;
}

function ownersOf(fact: LedgerEvent): Pick<PublicLedgerEntry, 'paymentId' | 'fundingId'> {
  if (fact.kind === 'payment') return { paymentId: fact.paymentId, fundingId: null };
  if (fact.kind !== 'wallet') return { paymentId: null, fundingId: fact.id };
  const { data } = fact.event;
  return { paymentId: data.paymentId, fundingId: 'fundingId' in data ? (data.fundingId ?? null) : null };
}

function movementOf(fact: LedgerEvent, entry: JournalEntry): Movement {
  if (fact.kind === 'payment') return 'fee';
  return fact.kind === 'wallet' ? walletMovementOf(fact.event, entry) : 'payout';
}

/** The movement of each type of event; null if it moves no money. */
const WALLET_MOVEMENTS: Readonly<Record<WalletEvent['type'], Movement | null>> = {
  WalletOpened: null,
  FundingRequested: null,
  FundingDeclined: null,
  DebitRefused: null,
  RepaymentRequested: null,
  FundsAdded: 'deposit',
  FundsDebited: 'payment_debit',
  FundsCredited: 'payment_credit',
  FundsReturned: 'payment_return',
  FundsWithdrawn: 'withdrawal',
  WithdrawalReversed: 'withdrawal_return',
  FundsReversed: 'reversal',
  ReversalReturned: 'reversal_return',
};

function walletMovementOf({ type, data }: WalletEvent, { creditAccount }: JournalEntry): Movement {
  if (type === 'FundsAdded' && data.paymentId !== null) return 'funding_charge';
  // The journal decides which of the two it is.
  if (type === 'FundsWithdrawn' && !creditAccount.startsWith('payouts:')) return 'repayment';
  if (type === 'WithdrawalReversed' && data.repaymentKey !== undefined) return 'repayment_return';
  const movement = WALLET_MOVEMENTS[type];
  if (movement === null) throw new Error(`An event ${type} moves no money`);
  return movement;
}
