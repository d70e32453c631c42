import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import type { Admin } from 'kafkajs';

/**
 * Resolves with true once a group has committed everything that a topic has now, with false if that takes too long.
 * @param names of topic and group on the cluster
 */
export async function waitUntilConsumed(
  admin: Admin,
  names: { readonly topic: string; readonly groupId: string },
  waitMs: number,
): Promise<boolean> {
  const { topic, groupId } = names;
  const endsAtMs = performance.now() + waitMs;
  const ends = await admin.fetchTopicOffsets(topic);
  const wanted = ends.filter(({ high, low }) => Number(high) > Number(low));
  for (;;) {
    const [group] = await admin.fetchOffsets({ groupId, topics: [topic] });
    const taken = new Map(group?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
    if (wanted.every(({ partition, high }) => (taken.get(partition) ?? -1) >= Number(high))) return true;
    if (performance.now() >= endsAtMs) return false;
    await pause(LIMITS.kafka.commitEveryMs / 2);
  }
}
