import { randomUUID } from 'node:crypto';
import type { Topic } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { Kafka, KafkaMessage } from 'kafkajs';
import type { PartitionBatch } from './partition-batch.js';
import { TopicReader } from './topic-reader.js';

/** A record of a topic with its texts unchanged. */
export interface ReadRecord {
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PartitionsReading {
  readonly kafka: Kafka;
  readonly topicPrefix: string;
  readonly topic: Topic;
  readonly logger: Logger;
  /** As in `TopicReaderOptions`: brokers refuse a reader whose time they do not allow. */
  readonly sessionTimeoutMs: number;
  readonly take: (record: ReadRecord) => void;
  /** Reading fails after this time without a record. */
  readonly silenceMs: number;
}

/** Offsets of a partition, from the first to read to the first not to read. */
interface OffsetRange {
  readonly partition: number;
  readonly first: number;
  readonly end: number;
}

/**
 * Reads ranges of a topic: each partition in order, partitions concurrently. Leaves no state in the cluster.
 * Error: one line, if no record arrives for too long before the ranges end.
 */
export async function readPartitions(options: PartitionsReading, ranges: readonly OffsetRange[]): Promise<void> {
  const { kafka, topicPrefix, topic, logger, sessionTimeoutMs, take, silenceMs } = options;
  const filled = ranges.filter(({ first, end }) => first < end);
  if (filled.length === 0) return;
  const firsts = new Map(filled.map(({ partition, first }) => [partition, String(first)]));
  /** Ends of the partitions that are still being read. */
  const ends = new Map(filled.map(({ partition, end }) => [partition, end]));
  const { promise: done, resolve, reject } = Promise.withResolvers<void>();
  const silence = setTimeout(() => reject(new Error(`The topic ${topic} fell silent before its end`)), silenceMs);
  const onBatch = async ({ partition, messages, skip, heartbeat }: PartitionBatch): Promise<void> => {
    silence.refresh();
    const end = ends.get(partition) ?? 0;
    for (const message of messages) if (Number(message.offset) < end) take(recordOf(message));
    const last = messages.at(-1);
    if (last === undefined) return;
    skip(last.offset);
    if (Number(last.offset) + 1 >= end) ends.delete(partition);
    if (ends.size === 0) resolve();
    await heartbeat();
  };
  const reader = new TopicReader({
    kafka,
    logger,
    topic: `${topicPrefix}${topic}`,
    groupId: `${topicPrefix}settle-reading-${randomUUID()}`,
    sessionTimeoutMs,
    pin: { partitions: [...firsts.keys()], offsets: () => Promise.resolve(firsts) },
    onBatch,
    onFatal: reject,
  });
  try {
    reader.start().catch(reject);
    await done;
  } finally {
    clearTimeout(silence);
    reader.pause();
    await reader.leave();
  }
}

function recordOf({ key, value, headers = {} }: KafkaMessage): ReadRecord {
  const texts = Object.entries(headers).map(([name, text]) => [name, String(text)] as const);
  return { key: String(key), value: String(value), headers: Object.fromEntries(texts) };
}
