import { randomUUID } from 'node:crypto';
import { withTimeout } from '@settle/concurrency';
import { KAFKA_TOPICS, SettleError } from '@settle/contracts';
import type { KafkaMessage } from 'kafkajs';
import type { RequestEnvelope } from '../message-bus.js';
import { DEFAULT_REQUEST_LIMITS } from '../request-limiter.js';
import type { KafkaParts } from './kafka-parts.js';
import { UnreadableRecord, orUnreadable, readReply, buildRequestRecord } from './kafka-record.js';
import type { QueuedSend } from './sequential-producer.js';
import type { PartitionBatch } from './partition-batch.js';
import { TopicReader } from './topic-reader.js';

const { inProgress, waiting } = DEFAULT_REQUEST_LIMITS;
/** Most requests that may wait for replies. */
const PENDING_AT_MOST = inProgress + waiting;

interface ReplyPartition {
  /** This instance's partition of the topic of replies; it ignores replies to others there. */
  readonly replyPartition: number;
  /** End of that partition before this instance's first request. */
  readonly replyOffset: string;
}

/** Sends requests and waits for the replies, on a partition that a rebalance never moves. */
export class Requester {
  readonly kind = 'replies';
  readonly topic = KAFKA_TOPICS.replies.name;
  /** By correlation id; called with the reply, or with an error. */
  readonly #pending = new Map<string, (outcome: object) => void>();
  readonly #inProgress = new Set<Promise<object>>();
  readonly reader: TopicReader;

  constructor(
    private readonly parts: KafkaParts,
    private readonly options: ReplyPartition,
  ) {
    const { replyPartition, replyOffset } = options;
    this.reader = new TopicReader({
      ...parts.reader,
      topic: parts.repliesTopic,
      groupId: `${parts.repliesTopic}.${randomUUID()}`,
      pin: { partitions: [replyPartition], offsets: async () => new Map([[replyPartition, replyOffset]]) },
      onBatch: (batch) => this.#onBatch(batch),
    });
  }

  /**
   * Sends a request and waits for the reply. The handling instance drops it unless it begins in time.
   * @throws SettleError the error of the reply, `service_unavailable` if the request was never sent or too many wait,
   *   `outcome_unknown` if no reply came, `payload_too_large`
   */
  async request(envelope: RequestEnvelope): Promise<object> {
    if (this.#pending.size >= PENDING_AT_MOST) {
      throw new SettleError('service_unavailable', 'Too many requests are waiting. Try again shortly.');
    }
    const correlationId = randomUUID();
    const replyTo = { partition: this.options.replyPartition, correlationId };
    const topic = this.parts.nameOf(envelope.topic);
    const record = buildRequestRecord(topic, envelope, replyTo, Date.now() + envelope.timeoutMs);
    const posting = this.parts.producers.post([record]);
    const reply = new Promise<object>((resolve, reject) => {
      this.#pending.set(correlationId, (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)));
      posting.stored.catch(reject);
    });
    const response = withTimeout(reply, envelope.timeoutMs, () => timedOut(posting));
    this.#inProgress.add(response);
    try {
      return await response;
    } finally {
      this.#pending.delete(correlationId);
      this.#inProgress.delete(response);
    }
  }

  /** Resolves when no request waits for a reply. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#inProgress);
  }

  async #onBatch(batch: PartitionBatch): Promise<void> {
    for (const message of batch.messages) {
      batch.begin(message.offset);
      this.#onReply(message);
      batch.finish(message.offset);
      batch.skip(message.offset);
    }
  }

  /** Ignores replies to other instances and late ones. */
  #onReply(message: KafkaMessage): void {
    const reply = orUnreadable(() => readReply(message));
    if (!(reply instanceof UnreadableRecord)) return this.#pending.get(reply.correlationId)?.(reply.outcome);
    // The requester learns in time that the outcome is unknown; storing the record would not help.
    this.parts.reader.logger.error({ why: reply.message, offset: message.offset }, 'a reply cannot be read');
  }
}

function timedOut(posting: QueuedSend): SettleError {
  return posting.withdraw()
    ? new SettleError('service_unavailable', 'The request could not be sent in time. Try again shortly.')
    : new SettleError('outcome_unknown', 'No answer came in time. Read the resource before sending again.');
}
