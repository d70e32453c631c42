import { NO_STREAM, executeCommand } from '@settle/event-store';
import { NO_PAYMENT, decidePayment, evolvePayment, type PaymentState } from '@settle/payments-domain';
import { newPaymentEvent } from '../../storage/step-ids.js';
import { WHOLE_PAYMENT, paymentStream, readPaymentEvent } from '../../storage/streams.js';
import { awaitReadModels, type ClosingPlace } from './closing-place.js';

/** Requests that one round ends. */
const PER_ROUND = 500;

/** Pending requests that the user made, and those to the user or to an address of the user. */
const PENDING = `
  select p.id, p.actor_id as "actorId", p.target_user_id as "targetUserId" from payments p
  where p.status = 'pending' and p.action = 'charge' and (p.actor_id = $1 or p.target_user_id = $1)
  union
  select p.id, p.actor_id, a.user_id from known_addresses a
  join payments p on p.target_type = a.kind and p.target_key = a.value
  where a.user_id = $1 and p.target_user_id is null and p.status = 'pending' and p.action = 'charge'
  order by 1 limit ${PER_ROUND}`;

interface PendingRow {
  readonly id: string;
  readonly actorId: string;
  readonly targetUserId: string | null;
}

/**
 * Cancels the requests that a user has made and denies those that wait for the user, as the user could. Returns their
 * number. Errors: those of the store and the database; the read models do not follow.
 */
export async function endPendingRequests(place: ClosingPlace, userId: string): Promise<number> {
  for (let ended = 0; ;) {
    await awaitReadModels(place);
    const { rows } = await place.pool.query<PendingRow>(PENDING, [userId]);
    if (rows.length === 0) return ended;
    for (const row of rows) await endRequest(place, userId, row);
    ended += rows.length;
  }
}

/** Only the payment's stream decides who ends it. If another user did so meanwhile, nothing is left to do. */
async function endRequest({ store, clock }: ClosingPlace, userId: string, row: PendingRow): Promise<void> {
  const stream = paymentStream(row.id);
  const load = async () => {
    const stored = await store.readStream(stream, WHOLE_PAYMENT);
    const payment = stored.map(readPaymentEvent).reduce<PaymentState>(evolvePayment, NO_PAYMENT);
    return { payment, expectedRevision: stored.at(-1)?.revision ?? NO_STREAM };
  };
  const type = row.actorId === userId ? ('cancel' as const) : ('deny' as const);
  const act = { type, byUserId: userId, targetUserId: row.targetUserId, refundId: '', atUs: clock.nowUs() };
  await executeCommand(store, {
    load,
    decide: ({ payment, expectedRevision }) => {
      const decision = decidePayment(act, payment);
      if (decision.kind !== 'append') return { unit: [], answer: null };
      const events = [newPaymentEvent(row.id, decision.event)];
      return { unit: [{ stream, expectedRevision, events }], answer: null };
    },
  });
}
