import { randomInt } from 'node:crypto';
import { KAFKA_TOPICS } from '@settle/contracts';
import type { Admin } from 'kafkajs';

/** What the cluster says of a topic before anything is asked. */
export interface Cluster {
  readonly partitions: ReadonlyMap<string, number>;
  readonly replyPartition: number;
  readonly replyOffset: string;
}

/** Finds every topic's partitions, draws one for replies and finds its end. */
export async function lookAround(admin: Admin, nameOf: (topic: string) => string): Promise<Cluster> {
  const existing = new Set(await admin.listTopics());
  const names = Object.values(KAFKA_TOPICS).map(({ name }) => name);
  const missing = names.filter((name) => !existing.has(nameOf(name)));
  if (missing.length > 0) throw new Error(`Kafka has no topic ${missing.map(nameOf).join(', ')}: create them first`);
  const { topics } = await admin.fetchTopicMetadata({ topics: names.map(nameOf) });
  const counts = new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
  const ends = await admin.fetchTopicOffsets(nameOf(KAFKA_TOPICS.replies.name));
  const end = ends[randomInt(ends.length)];
  if (end === undefined) throw new Error('The topic of replies has no partition.');
  const partitions = new Map(names.map((name) => [name, counts.get(nameOf(name)) ?? 0]));
  return { partitions, replyPartition: end.partition, replyOffset: end.high };
}

/** Where each partition of a topic ends now: the offset of its next record. */
export async function endsOf(admin: Admin, topic: string): Promise<ReadonlyMap<number, string>> {
  const ends = await admin.fetchTopicOffsets(topic);
  return new Map(ends.map(({ partition, high }) => [partition, high]));
}
