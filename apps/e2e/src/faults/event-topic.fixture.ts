import { randomUUID } from 'node:crypto';
import { TOPICS, type PublicPaymentEvent } from '@settle/contracts';
import { schemaErrorsOf } from '@settle/testing';
import kafkajs, { type Consumer } from 'kafkajs';

const { Kafka, logLevel } = kafkajs;

/** Reads the published events from the first one, like an external consumer. */
export class EventTopic {
  /** Faults of single records. */
  readonly complaints: string[] = [];
  readonly #seen = new Set<string>();
  readonly #byPayment = new Map<string, string[]>();
  readonly #consumer: Consumer;

  constructor(brokers: readonly string[]) {
    const kafka = new Kafka({
      brokers: [...brokers],
      logLevel: logLevel.NOTHING,
      retry: { retries: Number.MAX_SAFE_INTEGER, maxRetryTime: 1_000 },
    });
    this.#consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 200 });
  }

  async start(): Promise<void> {
    await this.#consumer.connect();
    await this.#consumer.subscribe({ topic: TOPICS.paymentsEvents, fromBeginning: true });
    await this.#consumer.run({
      eachMessage: async ({ message: { key, value } }) => this.#take(String(key), String(value)),
    });
  }

  stop(): Promise<void> {
    return this.#consumer.disconnect();
  }

  /** The number of different events that were read. */
  get events(): number {
    return this.#seen.size;
  }

  /** Returns the ids of a payment's events in order, each once. */
  eventsOf(paymentId: string): readonly string[] {
    return this.#byPayment.get(paymentId) ?? [];
  }

  #take(key: string, text: string): void {
    const event = JSON.parse(text) as PublicPaymentEvent;
    const complaints = schemaErrorsOf(event);
    if (complaints.length > 0) this.complaints.push(`${text}: ${JSON.stringify(complaints)}`);
    if (key !== event.paymentId) this.complaints.push(`${text}: its key is ${key}`);
    if (this.#seen.has(event.eventId)) return;
    this.#seen.add(event.eventId);
    const known = this.#byPayment.get(event.paymentId);
    if (known === undefined) this.#byPayment.set(event.paymentId, [event.eventId]);
    else known.push(event.eventId);
  }
}
