import { retry, settlesWithin, sleep } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { TOPICS, paymentEvents } from '@settle/contracts';
import type { EventStore, StoredEvent, Subscription } from '@settle/event-store';
import { EACH_INSTANCE, type ConsumerGroup, type EventHandler, type EventSource } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { PAYMENT_PREFIXES } from '../storage/streams.js';
import { FencedCheckpoint } from './fenced-checkpoint.js';
import { isBehind } from './is-behind.js';
import { readPaymentChanges } from '../storage/payment-changes.js';
import { readPublicEventEpoch } from './public-event-epoch.js';
import { buildPublicRecord } from './public-event.js';

const { eventsPerBatch, closeWaitMs, retryPauseMinMs: minPauseMs, retryPauseMaxMs: maxPauseMs } = LIMITS.messaging;

export interface PaymentEventSourceDependencies {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly logger: Logger;
}

/**
 * Returns the source of payment events for the consumers of this process, for a bus that stores no topic. Each group reads
 * the event log from a checkpoint of its own, with the promises of the topic: at least once, in order per payment, from
 * the first event on. Without consumers nothing runs and nothing is stored.
 */
export function createPaymentEventSource(dependencies: PaymentEventSourceDependencies): EventSource {
  return (group, handler) => {
    const logger = dependencies.logger.child({ topic: paymentEvents.topic, group: String(group) });
    const stopping = new AbortController();
    const { signal } = stopping;
    const onError = (err: unknown) => logger.error({ err }, 'payment events cannot be read yet; retrying');
    const start = () => subscribe({ ...dependencies, logger }, { group, handler, signal });
    const starting = retry(start, { minPauseMs, maxPauseMs, signal, onError }).catch(() => null);
    /** Waits for the batch in progress, within bounds; it is delivered again after a restart if it takes longer. */
    return async () => {
      stopping.abort();
      await settlesWithin(
        starting.then((subscription) => subscription?.stop()),
        closeWaitMs,
      );
    };
  };
}

interface PaymentEventConsumer {
  readonly group: ConsumerGroup;
  readonly handler: EventHandler;
  readonly signal: AbortSignal;
}

async function subscribe(
  { store, pool, logger }: PaymentEventSourceDependencies,
  { group, handler, signal }: PaymentEventConsumer,
): Promise<Subscription | null> {
  const { epoch } = await readPublicEventEpoch(pool, TOPICS.paymentsEvents);
  // Under an epoch that a restore has raised, consumers begin again with the first event, as on the topic. The fence never
  // grows, because no other process runs on this database.
  const checkpoint =
    group === EACH_INSTANCE ? null : new FencedCheckpoint(pool, `${paymentEvents.topic} ${epoch} ${group}`, 0);
  const after = checkpoint === null ? await store.newestPosition() : await checkpoint.claim();
  if (after === null) throw new Error(`The checkpoint ${checkpoint?.name} belongs to another process`);
  if (signal.aborted) return null;
  const handle = async (events: readonly StoredEvent[], upTo: number) => {
    const rests = !isBehind(events, Date.now() * 1_000);
    const changes = (await readPaymentChanges(store, events)).flat();
    const inOrder = changes.toSorted((one, other) => one.stored.position - other.stored.position);
    await handler(inOrder.map((change) => buildPublicRecord(change, epoch)));
    if (checkpoint !== null && !(await checkpoint.moveTo(upTo))) {
      throw new Error(`The checkpoint ${checkpoint.name} was moved by another process`);
    }
    // Few large batches leave more of the database to payments.
    if (rests) await sleep(LIMITS.publishing.pauseMs, signal);
  };
  const onError = (err: unknown) =>
    logger.error({ err }, 'payment events not processed; retrying with the same events');
  return store.subscribe({ streamPrefixes: PAYMENT_PREFIXES, after, batchSize: eventsPerBatch, handle, onError });
}
