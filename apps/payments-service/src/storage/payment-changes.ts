import { LIMITS } from '@settle/config';
import type { EventStore, StoredEvent } from '@settle/event-store';
import { NO_PAYMENT, evolvePayment, type ExistingPayment, type PaymentState } from '@settle/payments-domain';
import { forEachConcurrent } from '@settle/concurrency';
import { paymentIdOf, readEarlierEvents, readPaymentEvent } from './streams.js';

/** An event of a payment, and the payment after it. */
export interface PaymentChange {
  readonly paymentId: string;
  readonly stored: StoredEvent;
  readonly payment: ExistingPayment;
}

/**
 * Returns the changes of each payment by these events, in order. Reads the earlier events of payments from their streams.
 * @param events of payments' streams, each stream's in order and without a gap
 */
export async function readPaymentChanges(
  store: Pick<EventStore, 'readStream'>,
  events: readonly StoredEvent[],
): Promise<PaymentChange[][]> {
  const byStream = new Map<string, StoredEvent[]>();
  for (const event of events) {
    const others = byStream.get(event.stream);
    if (others === undefined) byStream.set(event.stream, [event]);
    else others.push(event);
  }
  const changes: PaymentChange[][] = [];
  const continued: StoredEvent[][] = [];
  for (const ofOne of byStream.values()) {
    if (ofOne[0]?.revision === 0) changes.push(changesOf(NO_PAYMENT, ofOne));
    else continued.push(ofOne);
  }
  await forEachConcurrent(continued, LIMITS.publishing.streamReads, async (ofOne) => {
    const [first] = ofOne;
    if (first !== undefined) changes.push(changesOf(await stateBefore(store, first), ofOne));
  });
  return changes;
}

async function stateBefore(store: Pick<EventStore, 'readStream'>, first: StoredEvent): Promise<PaymentState> {
  const earlier = await readEarlierEvents(store, first);
  return earlier.map(readPaymentEvent).reduce(evolvePayment, NO_PAYMENT);
}

function changesOf(before: PaymentState, events: readonly StoredEvent[]): PaymentChange[] {
  let payment = before;
  return events.flatMap((stored) => {
    payment = evolvePayment(payment, readPaymentEvent(stored));
    return payment.status === 'none' ? [] : [{ paymentId: paymentIdOf(stored.stream), stored, payment }];
  });
}
