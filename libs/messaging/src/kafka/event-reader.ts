import { randomUUID } from 'node:crypto';
import { Backoff, settlesWithin, sleep } from '@settle/concurrency';
import type { Topic } from '@settle/contracts';
import type { KafkaMessage } from 'kafkajs';
import type { ConsumerLimits } from '../event-consumer.js';
import { EACH_INSTANCE, type EventEnvelope, type EventHandler, type ConsumerGroup } from '../message-bus.js';
import { storeDeadLetter } from './dead-letters.js';
import type { KafkaParts } from './kafka-parts.js';
import { UnreadableRecord, orUnreadable, readEvent } from './kafka-record.js';
import type { PartitionBatch } from './partition-batch.js';
import type { Pin } from './topic-reader-options.js';
import { TopicReader, heartbeatMs } from './topic-reader.js';

export interface EventReaderOptions {
  readonly topic: Topic;
  readonly group: ConsumerGroup;
  /** For `EACH_INSTANCE`: all partitions, from their ends on. */
  readonly pin?: Pin;
  readonly limits: Omit<ConsumerLimits, 'waiting'>;
}

/** Adjacent records of one pattern for one call of a handler, or one unreadable record. */
interface Run {
  last: KafkaMessage;
  readonly events: EventEnvelope[];
  readonly error?: UnreadableRecord;
}

/**
 * Consumes a topic for one group: each partition in order, batch after batch, each until its handler has processed it.
 */
export class EventReader {
  readonly kind = 'events';
  readonly #handlers = new Map<string, EventHandler>();
  readonly #closing = new AbortController();
  readonly topic: Topic;
  readonly reader: TopicReader;
  #delivering: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: KafkaParts,
    private readonly options: EventReaderOptions,
  ) {
    this.topic = options.topic;
    this.reader = new TopicReader({
      ...parts.reader,
      topic: parts.nameOf(options.topic),
      groupId: parts.nameOf(buildGroupName(options.topic, options.group)),
      ...(options.pin === undefined ? {} : { pin: options.pin }),
      onBatch: (batch) => (this.#delivering = this.#onBatch(batch)),
    });
  }

  add(pattern: string, handler: EventHandler): void {
    const { topic, group } = this.options;
    if (this.#handlers.has(pattern)) {
      throw new Error(`Two consumers of ${topic} ${pattern} in group ${String(group)} in one process.`);
    }
    this.#handlers.set(pattern, handler);
  }

  /** Delivers pending events one last time, for at most `waitMs`, commits, and leaves the group. */
  async close(waitMs: number): Promise<void> {
    this.#closing.abort();
    this.reader.pause();
    await settlesWithin(this.#delivering, waitMs);
    await this.reader.leave();
  }

  async #onBatch(batch: PartitionBatch): Promise<void> {
    const { topic, parts } = this;
    const { partition } = batch;
    for (const { last, events, error } of this.#runs(batch.messages)) {
      const isProcessed =
        error === undefined
          ? await this.#deliver(events, batch)
          : await storeDeadLetter(parts, { topic, partition, message: last }, error);
      if (!isProcessed) return;
      batch.begin(last.offset);
      batch.finish(last.offset);
      batch.skip(last.offset);
      await batch.heartbeat();
    }
  }

  #runs(messages: readonly KafkaMessage[]): readonly Run[] {
    const runs: Run[] = [];
    for (const message of messages) {
      const event = orUnreadable(() => readEvent(this.topic, message));
      const run = runs.at(-1);
      if (event instanceof UnreadableRecord) runs.push({ last: message, events: [], error: event });
      else if (run?.events[0]?.pattern === event.pattern && run.events.length < this.options.limits.perBatch) {
        run.events.push(event);
        run.last = message;
      } else runs.push({ last: message, events: [event] });
    }
    return runs;
  }

  /** Returns false if the bus closed before the handler processed them: the next owner of the partition gets them. */
  async #deliver(events: readonly EventEnvelope[], batch: PartitionBatch): Promise<boolean> {
    const pattern = events[0]?.pattern ?? '';
    const handler = this.#handlers.get(pattern);
    if (handler === undefined) return true;
    const { limits, topic, group } = this.options;
    const { signal } = this.#closing;
    for (const backoff = new Backoff(limits); ;) {
      const isLastAttempt = signal.aborted;
      try {
        await this.#whileSendingHeartbeats(batch, handler(events));
        return true;
      } catch (err) {
        this.parts.reader.logger.error(
          { err, topic, pattern, group: String(group) },
          'events not processed; delivering them again',
        );
      }
      if (isLastAttempt) return false;
      await sleep(backoff.next(), signal);
      await batch.heartbeat();
    }
  }

  /** Sends heartbeats while a handler runs, which may take longer than a session. */
  async #whileSendingHeartbeats(batch: PartitionBatch, work: Promise<void>): Promise<void> {
    const sendHeartbeat = () => void batch.heartbeat().catch(() => undefined);
    const timer = setInterval(sendHeartbeat, heartbeatMs(this.parts.reader.sessionTimeoutMs));
    try {
      await work;
    } finally {
      clearInterval(timer);
    }
  }
}

/** Returns the Kafka consumer group of `group` on a topic: members of one group must read the same topics. */
export function buildGroupName(topic: Topic, group: ConsumerGroup): string {
  return group === EACH_INSTANCE ? `${topic}.${randomUUID()}` : `${group}.${topic}`;
}
