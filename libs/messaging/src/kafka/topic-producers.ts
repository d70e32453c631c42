import { SettleError } from '@settle/contracts';
import type { Kafka } from 'kafkajs';
import type { OutgoingRecord } from './kafka-record.js';
import { SequentialProducer, type QueuedSend } from './sequential-producer.js';

interface TopicProducersOptions {
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
  /** By topic; requests and replies under an empty name. */
  readonly #producers = new Map<string, SequentialProducer>();
  #isClosed = false;

  constructor(private readonly options: TopicProducersOptions) {}

  /** @param topic name on the cluster */
  of(topic: string): SequentialProducer {
    const { kafka, requestTopics, onFailure } = this.options;
    const name = requestTopics.has(topic) ? '' : topic;
    let producer = this.#producers.get(name);
    if (producer === undefined) {
      producer = new SequentialProducer(kafka, onFailure);
      this.#producers.set(name, producer);
    }
    return producer;
  }

  /** Number of records of all topics that wait to be sent. */
  get waiting(): number {
    return [...this.#producers.values()].reduce((sum, { waiting }) => sum + waiting, 0);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** All records are of one topic. @see SequentialProducer.post */
  post(records: readonly OutgoingRecord[]): QueuedSend {
    if (this.#isClosed) throw new SettleError('service_unavailable', 'The message bus is closed.');
    return this.of(records[0]?.topic ?? '').post(records);
  }

  /** Sends the waiting records, within bounds, and refuses the rest. */
  async close(waitMs: number): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#producers.values()].map((producer) => producer.close(waitMs)));
  }
}
