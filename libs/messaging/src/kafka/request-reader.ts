import { settlesWithin, sleep } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { KAFKA_TOPICS, SettleError, type KafkaTopic, type Topic } from '@settle/contracts';
import type { KafkaMessage } from 'kafkajs';
import type { RequestHandler, RequestLimits } from '../message-bus.js';
import { RequestLimiter } from '../request-limiter.js';
import { storeDeadLetter } from './dead-letters.js';
import type { KafkaParts } from './kafka-parts.js';
import {
  UnreadableRecord,
  isFromFuture,
  orUnreadable,
  readRequest,
  buildRefusalRecord,
  buildReplyRecord,
  type IncomingRequest,
} from './kafka-record.js';
import type { PartitionBatch } from './partition-batch.js';
import { TopicReader } from './topic-reader.js';

export interface RequestReaderOptions {
  readonly topic: Topic;
  /** Default bounds of each pattern's requests. */
  readonly limits: RequestLimits;
  /** Called with the partitions that this instance gained and lost. */
  readonly onAssignmentChange: (moved: ReadonlySet<number>) => void;
}

const MAY_BE_BEGUN = new SettleError(
  'outcome_unknown',
  'It may have been begun elsewhere. Read the resource before sending again.',
);

/** The partition was reassigned before the request was begun: its new owner responds. */
class AssignmentLost extends Error {}

/**
 * Handles the requests of one topic. Requests of one partition, and so of one key, begin in the order of arrival, and
 * none waits for another to end. Each pattern has its own slots, so that requests between instances can begin while the
 * requests that wait for them occupy theirs.
 */
export class RequestReader {
  readonly kind = 'requests';
  /** By pattern. */
  readonly #handlers = new Map<string, { readonly handler: RequestHandler; readonly limiter: RequestLimiter }>();
  readonly #handling = new Set<Promise<void>>();
  readonly topic: Topic;
  readonly reader: TopicReader;
  readonly #commitsRefusals: boolean;

  constructor(
    private readonly parts: KafkaParts,
    private readonly options: RequestReaderOptions,
  ) {
    const { topic, onAssignmentChange } = options;
    const properties = Object.values<KafkaTopic>(KAFKA_TOPICS).find(({ name }) => name === topic);
    this.#commitsRefusals = properties?.commitsRefusals === true;
    const name = parts.nameOf(topic);
    const onBatch = (batch: PartitionBatch) => this.#onBatch(batch);
    this.topic = topic;
    this.reader = new TopicReader({ ...parts.reader, topic: name, groupId: name, onBatch, onAssignmentChange });
  }

  /** Registers the only handler of a pattern. */
  add(pattern: string, handler: RequestHandler, limits = this.options.limits): void {
    if (this.#handlers.has(pattern)) {
      throw new Error(`Two handlers for ${this.topic} ${pattern} in one process.`);
    }
    this.#handlers.set(pattern, { handler, limiter: new RequestLimiter(limits) });
  }

  /** Begins no further requests, completes those in progress within `waitMs`, commits, and leaves the group. */
  async close(waitMs: number): Promise<void> {
    this.reader.pause();
    await settlesWithin(Promise.all(this.#handling), waitMs);
    await this.reader.leave();
  }

  async #onBatch(batch: PartitionBatch): Promise<void> {
    for (const message of batch.messages) {
      while (this.parts.producers.of(this.parts.repliesTopic).isFull()) {
        await sleep(LIMITS.messaging.retryPauseMinMs);
        await batch.heartbeat();
      }
      if (!batch.isCurrent()) return;
      batch.skip(message.offset);
      if (batch.begin(message.offset)) this.#accept(message, batch);
    }
  }

  #accept(message: KafkaMessage, batch: PartitionBatch): void {
    const handling = this.#respond(message, batch).catch((err: unknown) => {
      this.parts.reader.logger.error({ err, topic: this.topic }, 'a reply was not stored');
      return true;
    });
    const finished = handling.then((isFinished) => {
      if (isFinished) batch.finish(message.offset);
      this.#handling.delete(finished);
    });
    this.#handling.add(finished);
  }

  /** Returns whether the record is finished. */
  async #respond(message: KafkaMessage, batch: PartitionBatch): Promise<boolean> {
    const { topic } = this;
    const request = orUnreadable(() => readRequest(topic, message));
    if (request instanceof UnreadableRecord) {
      return storeDeadLetter(this.parts, { topic, partition: batch.partition, message }, request);
    }
    // Begun too late, its result would help no caller, and it may be a payment that the caller has given up.
    if (request.envelope.timeoutMs === 0) {
      if (isFromFuture(message)) this.#warnOfClocks(request);
      return true;
    }
    const reply = await this.#reply(request, message, batch);
    if (reply !== null) await this.parts.producers.post([reply]).stored;
    return true;
  }

  #warnOfClocks({ envelope: { pattern, requestId } }: IncomingRequest): void {
    this.parts.reader.logger.warn(
      { topic: this.topic, pattern, requestId },
      'a request comes from the future and is not begun: the clocks of two machines differ',
    );
  }

  async #reply({ envelope, replyTo, beginBeforeMs }: IncomingRequest, message: KafkaMessage, batch: PartitionBatch) {
    const { pattern, topic, requestId } = envelope;
    const { repliesTopic } = this.parts;
    try {
      const registered = this.#handlers.get(pattern);
      if (registered === undefined) throw noHandler(topic);
      const { handler, limiter } = registered;
      const begin: RequestHandler = async (payload, received) => {
        if (!batch.isCurrent()) throw new AssignmentLost();
        return handler(payload, received);
      };
      const reply = await this.parts.handled.measure(pattern, () => limiter.run(envelope, begin));
      return buildReplyRecord(repliesTopic, replyTo, reply);
    } catch (error) {
      if (error instanceof AssignmentLost || Date.now() >= beginBeforeMs) return null;
      if (!(error instanceof SettleError)) {
        this.parts.reader.logger.error({ err: error, requestId, topic, pattern }, 'request handler failed');
      }
      return buildRefusalRecord(repliesTopic, replyTo, await this.#toReportedError(error, message, batch));
    }
  }

  /** "Not begun" is reported only if no instance has begun the request or will; otherwise its outcome is unknown. */
  async #toReportedError(error: unknown, message: KafkaMessage, batch: PartitionBatch): Promise<unknown> {
    if (!(error instanceof SettleError)) return error;
    const saysNotBegun = error.code === 'service_unavailable';
    if (saysNotBegun && batch.mayBeBegunElsewhere(message)) return MAY_BE_BEGUN;
    if (!this.#commitsRefusals) return error;
    batch.finish(message.offset);
    // The next owner begins an uncommitted request again, although its caller has received that nothing was begun.
    const isCommitted = await settlesWithin(batch.committed(message.offset), LIMITS.kafka.refusalCommitWaitMs);
    return isCommitted || !saysNotBegun ? error : MAY_BE_BEGUN;
  }
}

function noHandler(topic: Topic): SettleError {
  return new SettleError('service_unavailable', `No instance that reads ${topic} answers this yet. Try again shortly.`);
}
