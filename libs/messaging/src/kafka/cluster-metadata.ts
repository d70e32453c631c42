import { randomInt } from 'node:crypto';
import { pollUntil } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { KAFKA_TOPICS, topicsOf, type ServiceName } from '@settle/contracts';
import type { Admin } from 'kafkajs';

/**
 * Finds the number of partitions of every topic of `principal`, or of all, draws a partition for replies and finds its
 * end.
 * @throws one line when a topic is not there, or is not shown to this principal
 */
export async function fetchMetadata(admin: Admin, nameOf: (topic: string) => string, principal?: ServiceName) {
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
  const replyEnd = ends[randomInt(ends.length)];
  if (replyEnd === undefined) throw new Error('The topic of replies has no partition.');
  const partitions: ReadonlyMap<string, number> = new Map(names.map((name) => [name, counts.get(nameOf(name)) ?? 0]));
  return { partitions, replyPartition: replyEnd.partition, replyOffset: replyEnd.high };
}

/**
 * Resolves with true once a group has committed all records that a topic has now, with false if that takes too long.
 * @param names of topic and group on the cluster
 */
export async function waitUntilConsumed(
  admin: Admin,
  { topic, groupId }: { readonly topic: string; readonly groupId: string },
  timeoutMs: number,
): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  const ends = (await admin.fetchTopicOffsets(topic)).filter(({ high, low }) => Number(high) > Number(low));
  const isConsumed = async (): Promise<boolean> => {
    const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const committed = new Map(group?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
    return ends.every(({ partition, high }) => (committed.get(partition) ?? -1) >= Number(high));
  };
  const everyMs = LIMITS.kafka.commitEveryMs / 2;
  return pollUntil(isConsumed, { everyMs, timeoutMs: deadlineMs - performance.now() });
}
