import { randomInt } from 'node:crypto';
import { KAFKA_TOPICS, topicsOf, type ServiceName } from '@settle/contracts';
import type { Admin } from 'kafkajs';

/** The metadata of a topic that the cluster sends first. */
export interface ClusterMetadata {
  readonly partitions: ReadonlyMap<string, number>;
  readonly replyPartition: number;
  readonly replyOffset: string;
}

/**
 * Finds the partitions of every topic of `principal`, or of all, draws one for replies and finds its end.
 * @throws one line when a topic is not there, or is not shown to this principal
 */
export async function fetchMetadata(
  admin: Admin,
  nameOf: (topic: string) => string,
  principal?: ServiceName,
): Promise<ClusterMetadata> {
  const existing = new Set(await admin.listTopics());
  const names = topicsOf(principal).map(({ name }) => name);
  const missing = names.map(nameOf).filter((topic) => !existing.has(topic));
  if (missing.length > 0) {
    throw new Error(
      `Kafka has no topic ${missing.join(', ')}, or does not allow Describe on it: create it first, or give that right`,
    );
  }
  const { topics } = await admin.fetchTopicMetadata({ topics: names.map(nameOf) });
  const counts = new Map(topics.map(({ name, partitions }) => [name, partitions.length]));
  const ends = await admin.fetchTopicOffsets(nameOf(KAFKA_TOPICS.replies.name));
  const end = ends[randomInt(ends.length)];
  if (end === undefined) throw new Error('The topic of replies has no partition.');
  const partitions = new Map(names.map((name) => [name, counts.get(nameOf(name)) ?? 0]));
  return { partitions, replyPartition: end.partition, replyOffset: end.high };
}
