import { randomUUID } from 'node:crypto';
import { LIMITS } from '@settle/config';
import type { Topic } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { Kafka, KafkaMessage } from 'kafkajs';
import type { PartitionBatch } from './assignment.js';
import { TopicReader } from './topic-reader.js';

const { sessionTimeoutMs } = LIMITS.kafka;

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
  readonly take: (record: ReadRecord) => void;
  /** Reading fails after this time without a record. */
  readonly silenceMs: number;
}

/** Offsets of a partition, from the first to read to the first not to read. */
export interface OffsetRange {
  readonly partition: number;
  readonly first: number;
  readonly end: number;
}

/**
 * Reads ranges of a topic: each partition in order, partitions concurrently. Leaves no state in the cluster.
 * Error: one line, if no record arrives for too long before the ranges end.
 */
export async function readPartitions(options: PartitionsReading, ranges: readonly OffsetRange[]): Promise<void> {
  const { kafka, topicPrefix, topic, logger } = options;
  const filled = ranges.filter(({ first, end }) => first < end);
  if (filled.length === 0) return;
  const reading = new RangeReading(options, new Map(filled.map(({ partition, end }) => [partition, end])));
  const firsts = new Map(filled.map(({ partition, first }) => [partition, String(first)]));
  const reader = new TopicReader({
    kafka,
    logger,
    topic: `${topicPrefix}${topic}`,
    groupId: `${topicPrefix}settle-reading-${randomUUID()}`,
    sessionTimeoutMs,
    pin: { partitions: [...firsts.keys()], offsets: () => Promise.resolve(firsts) },
    onBatch: (batch) => reading.take(batch),
    onAssignmentChange: () => undefined,
    onFatal: (error) => reading.fail(error),
  });
  try {
    reader.start().catch((error: Error) => reading.fail(error));
    await reading.done;
  } finally {
    reader.pause();
    await reader.leave();
  }
}

class RangeReading {
  readonly done: Promise<void>;
  fail: (error: Error) => void = () => undefined;
  #succeed: () => void = () => undefined;
  #silence: NodeJS.Timeout | undefined;

  /** @param ends by partition; partitions that are still being read */
  constructor(
    private readonly options: PartitionsReading,
    private readonly ends: Map<number, number>,
  ) {
    this.done = new Promise<void>((resolve, reject) => {
      this.#succeed = resolve;
      this.fail = reject;
    }).finally(() => clearTimeout(this.#silence));
    this.#listen();
  }

  async take({ partition, messages, skip, heartbeat }: PartitionBatch): Promise<void> {
    this.#listen();
    const end = this.ends.get(partition);
    for (const message of messages) {
      if (end !== undefined && Number(message.offset) < end) this.options.take(recordOf(message));
    }
    const last = messages.at(-1);
    if (last === undefined) return;
    skip(last.offset);
    if (Number(last.offset) + 1 >= (end ?? 0)) this.ends.delete(partition);
    if (this.ends.size === 0) this.#succeed();
    await heartbeat();
  }

  #listen(): void {
    const { topic, silenceMs } = this.options;
    clearTimeout(this.#silence);
    const fallSilent = () => this.fail(new Error(`The topic ${topic} fell silent before its end`));
    this.#silence = setTimeout(fallSilent, silenceMs);
  }
}

function recordOf({ key, value, headers = {} }: KafkaMessage): ReadRecord {
  const texts = Object.entries(headers).map(([name, text]) => [name, String(text)] as const);
  return { key: String(key), value: String(value), headers: Object.fromEntries(texts) };
}
