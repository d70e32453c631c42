import { randomBytes } from 'node:crypto';
import type { Topic } from '@settle/contracts';
import kafkajs, { type Consumer } from 'kafkajs';
import { startPaymentsProcess, type SpecProcess } from './payments-process.fixture.js';

/** A record as a consumer outside of the product gets it. */
export interface PlainRecord {
  /** Without the prefix. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly timestamp: string;
}

/** The topics of one spec file on the Kafka of the run, processes that publish on them, and consumers outside of the product. */
export class PublicTopics {
  readonly brokers = process.env['SETTLE_TEST_KAFKA'] ?? '';
  readonly prefix = `spec-${randomBytes(6).toString('hex')}.`;
  /** Those that `close` kills. */
  readonly processes: SpecProcess[] = [];
  readonly #consumers: Consumer[] = [];

  /** Starts an instance of the payments service on a database, and waits until it is ready. */
  async publish(databaseUrl: string): Promise<SpecProcess> {
    const place = { KAFKA_BROKERS: this.brokers, KAFKA_TOPIC_PREFIX: this.prefix, DATABASE_URL: databaseUrl };
    const started = startPaymentsProcess({ ...place, KAFKA_SESSION_TIMEOUT_MS: '2000' });
    this.processes.push(started);
    await started.says('"ready"');
    return started;
  }

  /** Delivers the records of topics, from the first one on. */
  async consume(topics: readonly Topic[], take: (record: PlainRecord) => void): Promise<void> {
    const kafka = new kafkajs.Kafka({ brokers: this.brokers.split(','), logLevel: kafkajs.logLevel.NOTHING });
    const consumer = kafka.consumer({ groupId: `${this.prefix}plain`, maxWaitTimeInMs: 100 });
    this.#consumers.push(consumer);
    await consumer.connect();
    await consumer.subscribe({ topics: topics.map((topic) => this.prefix + topic), fromBeginning: true });
    await consumer.run({
      eachMessage: async ({ topic, partition, message: { key, value, headers = {}, offset, timestamp } }) => {
        const texts = Object.entries(headers).map(([name, text]) => [name, String(text)] as const);
        take({
          ...{ topic: topic.slice(this.prefix.length), partition, offset: Number(offset), timestamp },
          ...{ key: String(key), value: String(value), headers: Object.fromEntries(texts) },
        });
      },
    });
  }

  async killProcesses(): Promise<void> {
    await Promise.all(this.processes.splice(0).map((each) => each.kill()));
  }

  async close(): Promise<void> {
    await Promise.all([this.killProcesses(), ...this.#consumers.map((each) => each.disconnect())]);
  }
}
