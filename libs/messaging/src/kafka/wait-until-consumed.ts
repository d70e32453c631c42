import { pollUntil } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Admin } from 'kafkajs';

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
  return pollUntil(isConsumed, {
    everyMs: LIMITS.kafka.commitEveryMs / 2,
    timeoutMs: deadlineMs - performance.now(),
  });
}
