import { randomUUID } from 'node:crypto';
import { LIMITS } from '@settle/config';
import type { Topic } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { KafkaMessage } from 'kafkajs';
import { askAdmin } from './ask-admin.js';
import { kafkaClient, type KafkaAddress } from './kafka-connection.js';
import type { PartitionBatch } from './share.js';
import { TopicReader } from './topic-reader.js';

const { sessionTimeoutMs } = LIMITS.kafka;

/** A record as it stands in a topic, its texts as they came. */
export interface ReadRecord {
  readonly key: string;
  readonly value: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface WholeTopicOptions {
  readonly address: KafkaAddress;
  readonly topicPrefix: string;
  readonly topic: Topic;
  readonly logger: Logger;
  /** Told how many records there are, before the first is read. */
  readonly onCount: (records: number) => void;
  readonly take: (record: ReadRecord) => void;
  /** The reading is given up when nothing comes for so long. */
  readonly silenceMs: number;
}

/**
 * Reads a topic from its first record to where it ends now: each partition in order, partitions side by side. Leaves no
 * trace in the cluster. Errors: one line, when no broker answers or the topic falls silent before its end.
 */
export async function readWholeTopic(options: WholeTopicOptions): Promise<void> {
  const { address, topicPrefix, logger, onCount } = options;
  const kafka = kafkaClient(address, 'settle-reading', logger);
  const topic = `${topicPrefix}${options.topic}`;
  const partitions = await askAdmin(kafka, address.brokers, (admin) => admin.fetchTopicOffsets(topic));
  const filled = partitions.filter(({ low, high }) => Number(low) < Number(high));
  onCount(filled.reduce((sum, { low, high }) => sum + Number(high) - Number(low), 0));
  if (filled.length === 0) return;
  const reading = new WholeReading(options, new Map(filled.map(({ partition, high }) => [partition, Number(high)])));
  const firsts = new Map(filled.map(({ partition, low }) => [partition, low]));
  const reader = new TopicReader({
    kafka,
    logger,
    topic,
    groupId: `${topicPrefix}settle-reading-${randomUUID()}`,
    sessionTimeoutMs,
    pin: { partitions: [...firsts.keys()], offsets: () => Promise.resolve(firsts) },
    onBatch: (batch) => reading.take(batch),
    onShareChange: () => undefined,
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

class WholeReading {
  readonly done: Promise<void>;
  fail: (error: Error) => void = () => undefined;
  #succeed: () => void = () => undefined;
  #silence: NodeJS.Timeout | undefined;

  /** @param ends by partition, those that are still read */
  constructor(
    private readonly options: WholeTopicOptions,
    private readonly ends: Map<number, number>,
  ) {
    this.done = new Promise<void>((resolve, reject) => {
      this.#succeed = resolve;
      this.fail = reject;
    }).finally(() => clearTimeout(this.#silence));
    this.#listen();
  }

  async take({ partition, messages, passOver, heartbeat }: PartitionBatch): Promise<void> {
    this.#listen();
    const end = this.ends.get(partition);
    for (const message of messages) {
      if (end !== undefined && Number(message.offset) < end) this.options.take(recordOf(message));
    }
    const last = messages.at(-1);
    if (last === undefined) return;
    passOver(last.offset);
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
