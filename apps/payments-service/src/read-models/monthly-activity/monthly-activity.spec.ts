import type { PaymentCreated, PaymentEvent } from '@settle/payments-domain';
import type { StoredEvent } from '@settle/event-store';
import { readPaymentChanges } from '../../storage/payment-changes.js';
import { MONTHLY_ACTIVITY, monthOf } from './monthly-activity.js';

const [ALICE, BOB] = ['11', '12'];
const END_OF_MONTH_US = Date.UTC(2026, 10, 30, 23, 59, 59, 999) * 1_000 + 999;

function created(terms: Partial<PaymentCreated['data']> = {}): PaymentCreated {
  return {
    type: 'PaymentCreated',
    data: {
      mode: 'transfer',
      action: 'pay',
      actorId: ALICE,
      target: { type: 'user', userId: BOB, address: null },
      amountCents: 500,
      feeCents: 0,
      note: '',
      audience: 'private',
      medium: 'api',
      appId: 'app',
      environment: 'live',
      commandId: 'command',
      refundOf: null,
      atUs: 1,
      ...terms,
    } as PaymentCreated['data'],
  };
}

const settled = (targetUserId = BOB, atUs = END_OF_MONTH_US): PaymentEvent => {
  return { type: 'PaymentSettled', data: { targetUserId, atUs } };
};

let payments = 0;

/** Stores the events of one payment. */
function stored(...events: readonly PaymentEvent[]): StoredEvent[] {
  payments += 1;
  const stream = `payment-${payments}`;
  return events.map(({ type, data }, revision) => {
    return { stream, revision, type, data, id: `${stream}/${revision}`, position: 10 * payments + revision };
  });
}

/** Sums of a batch, of payments whose earlier events are in no stream. */
async function sumsOf(...events: readonly StoredEvent[]) {
  const store = { readStream: () => Promise.reject(new Error('There is no stream')) };
  const changes = await readPaymentChanges(store, events);
  return MONTHLY_ACTIVITY.sumsOf(changes.flat());
}

const row = (userId: string, counterpartyId: string, sums: object, month = 202_611) => {
  const nothing = { paid_count: 0, paid_cents: 0, received_count: 0, received_cents: 0, fee_cents: 0 };
  return { user_id: userId, month, counterparty_id: counterpartyId, ...nothing, ...sums };
};

describe('the monthly activity of two users', () => {
  it('given a settled pay with a fee, when it is folded, then the payer has the fee apart and the payee the amount', async () => {
    expect(await sumsOf(...stored(created({ feeCents: 7 }), settled()))).toEqual([
      row(ALICE, BOB, { paid_count: 1, paid_cents: 500, fee_cents: 7 }),
      row(BOB, ALICE, { received_count: 1, received_cents: 500 }),
    ]);
  });

  it('given an approved charge, when it is folded, then the target has paid', async () => {
    expect(await sumsOf(...stored(created({ mode: 'request', action: 'charge' }), settled()))).toEqual([
      row(BOB, ALICE, { paid_count: 1, paid_cents: 500 }),
      row(ALICE, BOB, { received_count: 1, received_cents: 500 }),
    ]);
  });

  it('given a pay to an address, when a user claims it, then that user has received it', async () => {
    const target = { type: 'email', userId: null, address: 'bob@example.com' } as const;
    expect(await sumsOf(...stored(created({ mode: 'hold', target }), settled()))).toMatchObject([
      { user_id: ALICE, counterparty_id: BOB, paid_count: 1 },
      { user_id: BOB, counterparty_id: ALICE, received_count: 1 },
    ]);
  });

  it('given many payments of a batch to one payee, when they are folded, then each row is there once', async () => {
    const payers = Array.from({ length: 40 }, (_, index) => String(100 + (index % 4)));
    const events = payers.flatMap((actorId) => stored(created({ actorId }), settled()));
    const sums = await sumsOf(...events);
    expect(sums).toHaveLength(8);
    expect(sums).toContainEqual(row(BOB, '100', { received_count: 10, received_cents: 5_000 }));
    expect(sums).toContainEqual(row('100', BOB, { paid_count: 10, paid_cents: 5_000 }));
  });

  it.each<[what: string, events: readonly PaymentEvent[]]>([
    ['a pending payment', [created()]],
    ['a failed payment', [created(), { type: 'PaymentFailed', data: { reason: 'insufficient_funds', atUs: 2 } }]],
    ['a refund', [created({ mode: 'refund', refundOf: '5' }), settled(ALICE)]],
    [
      'a cancelled payment',
      [created(), { type: 'PaymentCancelled', data: { reason: 'denied', refundId: null, targetUserId: BOB, atUs: 2 } }],
    ],
  ])('given %s, when it is folded, then it adds nothing', async (_what, events) => {
    expect(await sumsOf(...stored(...events))).toEqual([]);
  });

  it('given times around the end of a month, when the month is computed, then it is that in UTC', () => {
    expect([END_OF_MONTH_US, END_OF_MONTH_US + 1].map(monthOf)).toEqual([202_611, 202_612]);
    expect(monthOf(Date.UTC(2027, 0, 1) * 1_000)).toBe(202_701);
  });
});
