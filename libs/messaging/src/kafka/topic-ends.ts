import { settlesWithin, withTimeout } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Admin } from 'kafkajs';
import type { KafkaParts } from './kafka-parts.js';

const { sendGiveUpMs, disconnectWaitMs } = LIMITS.kafka;

/** Where a partition of a topic ends: the offset of its next record. */
export interface TopicEnd {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

/** Reads where topics end, on a connection that is kept between readings. */
export class TopicEnds {
  #admin: Promise<Admin> | null = null;

  constructor(private readonly parts: Pick<KafkaParts, 'createAdmin' | 'nameOf'>) {}

  /** Returns the ends of all partitions, by topic and partition. Error: no broker responds within 12 s, or a topic is missing. */
  read(topics: readonly string[]): Promise<readonly TopicEnd[]> {
    return this.#withAdmin((admin) => this.#fetch(admin, topics));
  }

  /** Does the same for those topics that the cluster has. */
  readExisting(topics: readonly string[]): Promise<readonly TopicEnd[]> {
    return this.#withAdmin(async (admin) => {
      const existing = new Set(await admin.listTopics());
      return this.#fetch(
        admin,
        topics.filter((topic) => existing.has(this.parts.nameOf(topic))),
      );
    });
  }

  /** Also ends a connection that is still being opened, once it is open. */
  async close(): Promise<void> {
    const closing = this.#admin?.then((admin) => admin.disconnect());
    this.#admin = null;
    if (closing !== undefined) await settlesWithin(closing, disconnectWaitMs);
  }

  async #withAdmin<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> {
    try {
      const working = (this.#admin ??= this.#connect()).then(work);
      return await withTimeout(working, sendGiveUpMs, () => new Error('No Kafka broker answers'));
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  async #fetch(admin: Admin, topics: readonly string[]): Promise<readonly TopicEnd[]> {
    const ends: TopicEnd[] = [];
    for (const topic of topics) {
      const partitions = await admin.fetchTopicOffsets(this.parts.nameOf(topic));
      const ofTopic = partitions.map(({ partition, high }) => ({ topic, partition, offset: Number(high) }));
      ends.push(...ofTopic.toSorted((one, other) => one.partition - other.partition));
    }
    return ends;
  }

  async #connect(): Promise<Admin> {
    const admin = this.parts.createAdmin();
    await admin.connect();
    return admin;
  }
}
