import { SettleError } from '@settle/contracts';
import type { Kafka } from 'kafkajs';
import type { OutgoingRecord } from './kafka-record.js';
import { OneAtATimeProducer, type Posting } from './one-at-a-time-producer.js';

/** A producer for each topic, so that a topic without a leader delays its own records and no others. */
export class TopicProducers {
  readonly #byTopic = new Map<string, OneAtATimeProducer>();
  #isClosed = false;

  /**
   * @param kafka a client whose retries are bounded
   * @param onFailure receives each failed batch with the topic's name on the cluster
   */
  constructor(
    private readonly kafka: Kafka,
    private readonly onFailure: (error: unknown, topic: string) => void,
  ) {}

  /** @param topic as it is named on the cluster */
  of(topic: string): OneAtATimeProducer {
    let producer = this.#byTopic.get(topic);
    if (producer === undefined) {
      producer = new OneAtATimeProducer(this.kafka, (error) => this.onFailure(error, topic));
      this.#byTopic.set(topic, producer);
    }
    return producer;
  }

  /** Records of all topics that wait to be sent. */
  get waiting(): number {
    return [...this.#byTopic.values()].reduce((sum, { waiting }) => sum + waiting, 0);
  }

  isClosed(): boolean {
    return this.#isClosed;
  }

  /** @see OneAtATimeProducer.post */
  post(record: OutgoingRecord): Posting {
    if (this.#isClosed) throw new SettleError('service_unavailable', 'The message bus is closed.');
    return this.of(record.topic).post(record);
  }

  /** Sends what waits, within bounds, and refuses the rest. */
  async close(waitMs: number): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#byTopic.values()].map((producer) => producer.close(waitMs)));
  }
}
