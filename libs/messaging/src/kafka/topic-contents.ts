import { LIMITS } from '@settle/config';
import type { Topic } from '@settle/contracts';
import type { Admin } from 'kafkajs';
import type { KafkaAddress } from './kafka-address.js';
import { createKafkaClient } from './kafka-connection.js';
import type { KafkaParts } from './kafka-parts.js';
import { readPartitions, type PartitionsReading, type ReadRecord } from './read-partitions.js';
import { runWithAdmin } from './run-with-admin.js';

/** The records of a topic. Errors of each method: one line if no broker responds in 30 s or none sends a record. */
export class TopicContents {
  constructor(
    private readonly parts: KafkaParts,
    private readonly place: { readonly topicPrefix: string; readonly topic: Topic },
  ) {}

  /** Returns whether the topic has no records, as on a new broker. */
  async isEmpty(): Promise<boolean> {
    return (await this.parts.withAdmin((admin) => this.#filled(admin))).length === 0;
  }

  /** Returns the newest record of each partition that has one. */
  async newest(): Promise<readonly ReadRecord[]> {
    const filled = await this.parts.withAdmin((admin) => this.#filled(admin));
    const ranges = filled.map(({ partition, high }) => ({ partition, first: Number(high) - 1, end: Number(high) }));
    const records: ReadRecord[] = [];
    const { kafka, logger, sessionTimeoutMs } = this.parts.reader;
    const take = (record: ReadRecord) => records.push(record);
    const reading = { kafka, logger, sessionTimeoutMs, silenceMs: LIMITS.kafka.startWaitMs, take };
    await readPartitions({ ...this.place, ...reading }, ranges);
    return records;
  }

  /**
   * Deletes every record that the topic has now. Offsets of later records continue from there. Returns false, with nothing
   * deleted, if it may not be done any more.
   * @param mayDelete asked once the ends are known: what another process stores after that stays
   */
  deleteAll(mayDelete: () => boolean): Promise<boolean> {
    return this.parts.withAdmin(async (admin) => {
      const partitions = (await this.#filled(admin)).map(({ partition, high }) => ({ partition, offset: high }));
      if (!mayDelete()) return false;
      if (partitions.length > 0) await admin.deleteTopicRecords({ topic: this.#topic, partitions });
      return true;
    });
  }

  get #topic(): string {
    return this.parts.nameOf(this.place.topic);
  }

  /** Returns the offsets of the partitions that have records. */
  async #filled(admin: Admin) {
    return (await admin.fetchTopicOffsets(this.#topic)).filter(({ low, high }) => low !== high);
  }
}

interface WholeTopicOptions extends Omit<PartitionsReading, 'kafka'> {
  readonly address: KafkaAddress;
  /** Called with the number of records before the first is read. */
  readonly onCount: (records: number) => void;
}

/**
 * Reads a topic from its first record to its current end: each partition in order, partitions concurrently. Leaves no
 * state in the cluster. Errors: one line, if no broker responds or no record arrives for too long.
 */
export async function readWholeTopic(options: WholeTopicOptions): Promise<void> {
  const { address, topicPrefix, logger, onCount } = options;
  const kafka = createKafkaClient(address, 'settle-reading', logger);
  const topic = `${topicPrefix}${options.topic}`;
  const boundedKafka = createKafkaClient(address, 'settle-reading', logger, LIMITS.kafka.sendRetries);
  const partitions = await runWithAdmin(boundedKafka, address.brokers, (admin) => admin.fetchTopicOffsets(topic));
  const ranges = partitions.map(({ partition, low, high }) => ({ partition, first: Number(low), end: Number(high) }));
  onCount(ranges.reduce((sum, { first, end }) => sum + end - first, 0));
  await readPartitions({ ...options, kafka }, ranges);
}
