import { LIMITS } from '@settle/config';
import type { Topic } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { Admin, Kafka } from 'kafkajs';
import type { KafkaParts } from './kafka-parts.js';
import { readPartitions, type ReadRecord } from './read-partitions.js';

export interface TopicContentsOptions {
  readonly kafka: Kafka;
  /** Sends admin requests to the cluster, within bounds. */
  readonly withAdmin: KafkaParts['withAdmin'];
  readonly topicPrefix: string;
  readonly topic: Topic;
  readonly logger: Logger;
}

/** The records of a topic. Errors of each method: one line if no broker responds in 30 s or none sends a record. */
export class TopicContents {
  constructor(private readonly options: TopicContentsOptions) {}

  /** Returns whether the topic has no records, as on a new broker. */
  async isEmpty(): Promise<boolean> {
    const partitions = await this.#offsets();
    return partitions.every(({ low, high }) => low === high);
  }

  /** Returns the newest record of each partition that has one. */
  async newest(): Promise<readonly ReadRecord[]> {
    const filled = (await this.#offsets()).filter(({ low, high }) => low !== high);
    const ranges = filled.map(({ partition, high }) => ({ partition, first: Number(high) - 1, end: Number(high) }));
    const records: ReadRecord[] = [];
    const silenceMs = LIMITS.kafka.startWaitMs;
    await readPartitions({ ...this.options, silenceMs, take: (record) => records.push(record) }, ranges);
    return records;
  }

  /** Deletes every record that the topic has now. Offsets of later records continue from there. */
  async deleteAll(): Promise<void> {
    await this.#withAdmin(async (admin, topic) => {
      const offsets = await admin.fetchTopicOffsets(topic);
      const filled = offsets.filter(({ low, high }) => low !== high);
      if (filled.length === 0) return;
      const partitions = filled.map(({ partition, high }) => ({ partition, offset: high }));
      await admin.deleteTopicRecords({ topic, partitions });
    });
  }

  #offsets() {
    return this.#withAdmin((admin, topic) => admin.fetchTopicOffsets(topic));
  }

  #withAdmin<Result>(work: (admin: Admin, topic: string) => Promise<Result>): Promise<Result> {
    const { withAdmin, topicPrefix, topic } = this.options;
    return withAdmin((admin) => work(admin, `${topicPrefix}${topic}`));
  }
}
