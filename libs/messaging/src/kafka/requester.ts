import { randomUUID } from 'node:crypto';
import { KAFKA_TOPICS, SettleError } from '@settle/contracts';
import type { KafkaMessage } from 'kafkajs';
import type { RequestEnvelope } from '../message-bus.js';
import type { KafkaParts } from './kafka-parts.js';
import { UnreadableRecord, readReply, buildRequestRecord } from './kafka-record.js';
import type { QueuedSend } from './sequential-producer.js';
import type { PartitionBatch } from './assignment.js';
import { TopicReader } from './topic-reader.js';

export interface RequesterOptions {
  /** This instance's partition of the topic of replies; it ignores replies to others there. */
  readonly partition: number;
  /** End of that partition before this instance's first request. */
  readonly offset: string;
  /** Most requests that may wait for replies. */
  readonly waiting: number;
}

interface Pending {
  readonly resolve: (reply: object) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** Sends requests and waits for the replies, on a partition that a rebalance never moves. */
export class Requester {
  readonly kind = 'replies';
  readonly topic = KAFKA_TOPICS.replies.name;
  readonly #pending = new Map<string, Pending>();
  readonly #reader: TopicReader;
  #whenSettled: (() => void)[] = [];

  constructor(
    private readonly parts: KafkaParts,
    private readonly options: RequesterOptions,
  ) {
    this.#reader = new TopicReader({
      ...parts.reader,
      topic: parts.repliesTopic,
      groupId: `${parts.repliesTopic}.${randomUUID()}`,
      pin: {
        partitions: [options.partition],
        offsets: async () => new Map([[options.partition, options.offset]]),
      },
      onBatch: (batch) => this.#onBatch(batch),
      onShareChange: () => undefined,
    });
  }

  start(): Promise<void> {
    return this.#reader.start();
  }

  isAlive(): boolean {
    return this.#reader.isAlive();
  }

  /**
   * Sends a request and waits for the reply. The handling instance drops it unless it begins in time.
   * @throws SettleError the error of the reply, `service_unavailable` if the request was never sent or too many wait,
   *   `outcome_unknown` if no reply came, `payload_too_large`
   */
  async ask(envelope: RequestEnvelope): Promise<object> {
    if (this.#pending.size >= this.options.waiting) {
      throw new SettleError('service_unavailable', 'Too many requests are waiting. Try again shortly.');
    }
    const correlationId = randomUUID();
    const replyTo = { partition: this.options.partition, correlationId };
    const topic = this.parts.nameOf(envelope.topic);
    const record = buildRequestRecord(topic, envelope, replyTo, Date.now() + envelope.timeoutMs);
    const posting = this.parts.producers.post(record);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle(correlationId, outOfTime(posting)), envelope.timeoutMs);
      this.#pending.set(correlationId, { resolve, reject, timer });
      posting.stored.catch((error: unknown) => this.#settle(correlationId, error as Error));
    });
  }

  /** Resolves when no request waits for a reply. */
  settled(): Promise<void> {
    if (this.#pending.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenSettled.push(resolve));
  }

  close(): Promise<void> {
    return this.#reader.leave();
  }

  async #onBatch(batch: PartitionBatch): Promise<void> {
    for (const message of batch.messages) {
      batch.begin(message.offset);
      this.#onReply(message);
      batch.finish(message.offset);
      batch.skip(message.offset);
    }
  }

  #onReply(message: KafkaMessage): void {
    try {
      const { correlationId, outcome } = readReply(message);
      this.#settle(correlationId, outcome);
    } catch (error) {
      if (!(error instanceof UnreadableRecord)) throw error;
      // The requester learns in time that the outcome is unknown; storing the record would not help.
      const { logger } = this.parts.reader;
      logger.error({ why: error.message, offset: message.offset }, 'a reply cannot be read');
    }
  }

  /** Ignores replies to other instances and late ones. */
  #settle(correlationId: string, outcome: object): void {
    const pending = this.#pending.get(correlationId);
    if (pending === undefined) return;
    this.#pending.delete(correlationId);
    clearTimeout(pending.timer);
    if (outcome instanceof Error) pending.reject(outcome);
    else pending.resolve(outcome);
    if (this.#pending.size === 0) for (const resolve of this.#whenSettled.splice(0)) resolve();
  }
}

function outOfTime(posting: QueuedSend): SettleError {
  return posting.withdraw()
    ? new SettleError('service_unavailable', 'The request could not be sent in time. Try again shortly.')
    : new SettleError('outcome_unknown', 'No answer came in time. Read the resource before sending again.');
}
