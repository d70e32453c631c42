import type { EventStore, StoredEvent } from '@settle/event-store';
import { NO_PAYMENT, evolvePayment, targetUserIdOf } from '@settle/payments-domain';
import type { Pool } from 'pg';
import {
  WHOLE_PAYMENT,
  paymentStream,
  readLedgerEvent,
  readPaymentEvent,
  walletStream,
  type LedgerEvent,
} from '../../storage/streams.js';
import { describePaymentEvent, type NameUser } from './describe-payment-event.js';
import { describeWalletEvent } from './describe-wallet-event.js';
import { isoTime } from '../iso-time.js';

/** Steps of wallets that a timeline shows: a payment has a handful, and three for each attempt to charge a source. */
const MOST_STEPS = 200;

const STEPS = `
  select wallet_id as "walletId", revision from ledger_entries
  where payment_id = $1 order by wallet_id, revision limit ${MOST_STEPS}`;
const USERNAMES = `
  select user_id as "userId", record #>> '{card,username}' as username from known_users where user_id = any($1::bigint[])`;

export interface TimelinePlace {
  readonly store: EventStore;
  /** Sees the journal of the payment's environment. */
  readonly pool: Pool;
  /** Sees the users. */
  readonly usersPool: Pool;
}

/**
 * Returns what happened to a payment, a line for each event in the order of the log: its own stream and, through the
 * journal, its steps in wallets. Null if there is no such payment.
 */
export async function readTimeline(place: TimelinePlace, paymentId: string): Promise<readonly string[] | null> {
  const own = await place.store.readStream(paymentStream(paymentId), WHOLE_PAYMENT);
  if (own.length === 0) return null;
  const events = [...own, ...(await readSteps(place, paymentId))];
  const inOrder = events.toSorted((left, right) => left.position - right.position).map(readLedgerEvent);
  const nameUser = await readNames(place.usersPool, inOrder.flatMap(usersOf));
  const { status } = own.map(readPaymentEvent).reduce(evolvePayment, NO_PAYMENT);
  return [`payment ${paymentId}: ${status}`, ...inOrder.map((event) => describe(event, nameUser))];
}

/** Returns one line about a payment: its parties and its creation. Null if there is no such payment. */
export async function summarizePayment(place: TimelinePlace, paymentId: string): Promise<string | null> {
  const own = (await place.store.readStream(paymentStream(paymentId), WHOLE_PAYMENT)).map(readPaymentEvent);
  const payment = own.reduce(evolvePayment, NO_PAYMENT);
  const [created] = own;
  if (payment.status === 'none' || created === undefined) return null;
  const users = [payment.facts.actorId, targetUserIdOf(payment)].filter((id) => id !== null);
  const nameUser = await readNames(place.usersPool, users);
  const parties = users.map((id) => `  ${nameUser(id)}`);
  return [`payment ${paymentId}, ${payment.status}: ${describePaymentEvent(created, nameUser)}`, ...parties].join('\n');
}

async function readSteps({ store, pool }: TimelinePlace, paymentId: string): Promise<StoredEvent[]> {
  const { rows } = await pool.query<{ walletId: string; revision: number }>(STEPS, [paymentId]);
  const steps: StoredEvent[] = [];
  for (const { walletId, revision: fromRevision } of rows) {
    steps.push(...(await store.readStream(walletStream(walletId), { direction: 'forwards', fromRevision, limit: 1 })));
  }
  return steps;
}

async function readNames(pool: Pool, userIds: readonly string[]): Promise<NameUser> {
  const { rows } = await pool.query<{ userId: string; username: string | null }>(USERNAMES, [[...new Set(userIds)]]);
  const names = new Map(rows.map(({ userId, username }) => [userId, username]));
  return (userId) => {
    const username = names.get(userId) ?? null;
    return username === null ? `user ${userId}` : `${username} (${userId})`;
  };
}

function usersOf(event: LedgerEvent): string[] {
  if (event.kind === 'wallet') return [event.walletId];
  if (event.kind !== 'payment') return [];
  if (event.event.type === 'PaymentSettled') return [event.event.data.targetUserId];
  if (event.event.type !== 'PaymentCreated') return [];
  const { actorId, target } = event.event.data;
  return target.userId === null ? [actorId] : [actorId, target.userId];
}

function describe(event: LedgerEvent, nameUser: NameUser): string {
  if (event.kind === 'payment') return lineOf(event.event.data.atUs, describePaymentEvent(event.event, nameUser));
  if (event.kind !== 'wallet') throw new RangeError(`A ${event.kind} is no step of a payment`);
  return lineOf(event.event.data.atUs, describeWalletEvent(event.event, nameUser(event.walletId)));
}

function lineOf(atUs: number, text: string): string {
  return `${isoTime(atUs)}  ${text}`;
}
