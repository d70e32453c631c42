import { SettleError } from '@settle/contracts';
import type { Kafka } from 'kafkajs';
import type { OutgoingRecord } from './kafka-record.js';
import { SequentialProducer, type QueuedSend } from './sequential-producer.js';

export interface TopicProducersOptions {
  /** A client with bounded retries. */
  readonly kafka: Kafka;
  /** Topics of requests and replies, by their names on the cluster. */
  readonly requestTopics: ReadonlySet<string>;
  /** Receives each failed batch with its topics' names on the cluster. */
  readonly onFailure: (error: unknown, topics: string) => void;
}

/**
 * One producer for requests and replies, so that those of one moment share a batch, and one for each other topic: a
 * topic without a leader delays its own records and no requests.
 */
export class TopicProducers {
  readonly #requests: SequentialProducer;
  readonly #byTopic = new Map<string, SequentialProducer>();
  #isClosed = false;

  constructor(private readonly options: TopicProducersOptions) {
    this.#requests = this.#newProducer();
  }

  /** @param topic name on the cluster */
  of(topic: string): SequentialProducer {
    if (this.options.requestTopics.has(topic)) return this.#requests;
    let producer = this.#byTopic.get(topic);
    if (producer === undefined) {
      producer = this.#newProducer();
      this.#byTopic.set(topic, producer);
    }
    return producer;
  }

  /** Number of records of all topics that wait to be sent. */
  get waiting(): number {
    return this.#all().reduce((sum, { waiting }) => sum + waiting, 0);
  }

  isClosed(): boolean {
    return this.#isClosed;
  }

  /** @see SequentialProducer.post */
  post(record: OutgoingRecord): QueuedSend {
    if (this.#isClosed) throw new SettleError('service_unavailable', 'The message bus is closed.');
    return this.of(record.topic).post(record);
  }

  /** Sends the waiting records, within bounds, and refuses the rest. */
  async close(waitMs: number): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#all().map((producer) => producer.close(waitMs)));
  }

  #all(): readonly SequentialProducer[] {
    return [this.#requests, ...this.#byTopic.values()];
  }

  #newProducer(): SequentialProducer {
    const { kafka, onFailure } = this.options;
    return new SequentialProducer(kafka, (error, topics) => onFailure(error, topics.join(', ')));
  }
}
