import { retry, settlesWithin, sleep } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { paymentEvents } from '@settle/contracts';
import type { EventStore, StoredEvent, Subscription } from '@settle/event-store';
import { EACH_INSTANCE, type ConsumerGroup, type EventHandler, type EventSource } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { PAYMENT_PREFIXES } from '../storage/streams.js';
import { FencedCheckpoint } from './fenced-checkpoint.js';
import { readPaymentChanges } from '../storage/payment-changes.js';
import { readPublicEventEpoch } from './public-event-epoch.js';
import { buildPublicRecord } from './public-event.js';

const { eventsPerBatch, closeWaitMs, retryPauseMinMs, retryPauseMaxMs } = LIMITS.messaging;

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
    const consumer = new PaymentEventConsumer(dependencies, group, handler);
    return () => consumer.stop();
  };
}

class PaymentEventConsumer {
  readonly #stopping = new AbortController();
  readonly #starting: Promise<void>;
  /** Null for `EACH_INSTANCE`, which begins with the end of the log. */
  #checkpoint: FencedCheckpoint | null = null;
  #epoch = 0;
  #subscription: Subscription | null = null;

  constructor(
    private readonly dependencies: PaymentEventSourceDependencies,
    private readonly group: ConsumerGroup,
    private readonly handler: EventHandler,
  ) {
    this.#starting = retry(() => this.#start(), {
      minPauseMs: retryPauseMinMs,
      maxPauseMs: retryPauseMaxMs,
      signal: this.#stopping.signal,
      onError: (err) => this.#logger.error({ err }, 'payment events cannot be read yet; retrying'),
    }).catch(() => undefined);
  }

  /** Waits for the batch in progress, within bounds; it is delivered again after a restart if it takes longer. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await settlesWithin(
      this.#starting.then(() => this.#subscription?.stop()),
      closeWaitMs,
    );
  }

  async #start(): Promise<void> {
    const { store, pool } = this.dependencies;
    this.#epoch = (await readPublicEventEpoch(pool)).epoch;
    const after = await this.#readPosition();
    if (this.#stopping.signal.aborted) return;
    this.#subscription = store.subscribe({
      streamPrefixes: PAYMENT_PREFIXES,
      after,
      batchSize: eventsPerBatch,
      handle: (events, upTo) => this.#deliver(events, upTo),
      onError: (err) => this.#logger.error({ err }, 'payment events not processed; retrying with the same events'),
    });
  }

  async #readPosition(): Promise<number> {
    const { store, pool } = this.dependencies;
    if (this.group === EACH_INSTANCE) return store.newestPosition();
    // Under an epoch that a restore has raised, consumers begin again with the first event, as on the topic.
    const name = `${paymentEvents.topic} ${this.#epoch} ${this.group}`;
    // The fence never grows, because no other process runs on this database.
    this.#checkpoint = new FencedCheckpoint(pool, name, 0);
    const position = await this.#checkpoint.claim();
    if (position === null) throw new Error(`The checkpoint ${name} belongs to another process`);
    return position;
  }

  async #deliver(events: readonly StoredEvent[], upTo: number): Promise<void> {
    const changes = (await readPaymentChanges(this.dependencies.store, events)).flat();
    const inOrder = changes.toSorted((one, other) => one.stored.position - other.stored.position);
    await this.handler(inOrder.map((change) => buildPublicRecord(change, this.#epoch)));
    if (this.#checkpoint !== null && !(await this.#checkpoint.moveTo(upTo))) {
      throw new Error(`The checkpoint ${this.#checkpoint.name} was moved by another process`);
    }
    // Few large batches leave more of the database to payments.
    await sleep(LIMITS.publishing.pauseMs, this.#stopping.signal);
  }

  get #logger(): Pick<Logger, 'error'> {
    return this.dependencies.logger.child({ topic: paymentEvents.topic, group: String(this.group) });
  }
}
