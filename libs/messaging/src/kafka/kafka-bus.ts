import { settlesWithin } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError, type Topic } from '@settle/contracts';
import { DEFAULT_CONSUMER_LIMITS } from '../event-consumer.js';
import {
  EACH_INSTANCE,
  type EventEnvelope,
  type EventHandler,
  type ConsumerGroup,
  type MessageBus,
  type RequestEnvelope,
  type RequestHandler,
  type AssignmentListener,
  type RequestLimits,
} from '../message-bus.js';
import { DEFAULT_REQUEST_LIMITS } from '../request-limiter.js';
import { RequestMeter } from '../request-meter.js';
import { EventReader, buildGroupName } from './event-reader.js';
import type { KafkaAddress } from './kafka-address.js';
import type { KafkaBusOptions } from './kafka-bus-options.js';
import { createKafkaParts, type KafkaParts } from './kafka-parts.js';
import { buildEventRecord } from './kafka-record.js';
import { fetchMetadata, waitUntilConsumed } from './cluster-metadata.js';
import { computePartition } from './partition-of.js';
import type { Pin } from './topic-reader-options.js';
import { TopicWatch } from './topic-watch.js';
import { RequestReader } from './request-reader.js';
import { Requester } from './requester.js';
import { registerKafkaMetrics, type ObservedReader } from './kafka-metrics.js';
import { TopicContents } from './topic-contents.js';
import { TopicEnds } from './topic-ends.js';

/** Carries messages between processes over Apache Kafka. The topics must exist: see `createKafkaTopics`. */
export class KafkaBus implements MessageBus {
  readonly #requests = new Map<Topic, RequestReader>();
  readonly #events = new Map<string, EventReader>();
  readonly #starting: Promise<void>[] = [];
  readonly #sentRequests: RequestMeter;
  readonly #watch: TopicWatch;
  readonly #assignmentListeners = new Map<Topic, AssignmentListener[]>();
  #closing: Promise<void> | null = null;
  #isClosed = false;

  private constructor(
    private readonly options: KafkaBusOptions,
    private readonly parts: KafkaParts,
    private readonly requester: Requester,
    private readonly partitions: ReadonlyMap<string, number>,
  ) {
    this.#sentRequests = new RequestMeter(options.metrics, 'asked');
    const { logger, onFatal = () => undefined } = options;
    const topics = [...partitions.keys()].map(parts.nameOf);
    const ends = new TopicEnds({ createAdmin: parts.createAdmin, nameOf: (name) => name });
    this.#watch = new TopicWatch({ topics, ends, logger, onLost: onFatal });
    if (options.metrics !== undefined) registerKafkaMetrics(options.metrics, parts.producers, () => this.#readers());
  }

  /**
   * Resolves once requests can be sent and received.
   * @throws one line with instructions if the cluster does not respond within 30 s or lacks a topic
   */
  static async connect(options: KafkaBusOptions): Promise<KafkaBus> {
    const { address } = options;
    const parts = createKafkaParts(options);
    const cluster = await parts.withAdmin((admin) => fetchMetadata(admin, parts.nameOf, options.principal));
    const connecting = parts.producers.of(parts.repliesTopic).connect();
    if (!(await settlesWithin(connecting, LIMITS.kafka.firstConnectionWaitMs))) throw noBroker(address);
    const requester = new Requester(parts, cluster);
    const bus = new KafkaBus(options, parts, requester, cluster.partitions);
    bus.#start(requester);
    if (await settlesWithin(bus.ready(), LIMITS.kafka.startWaitMs)) await bus.ready();
    if (bus.isReady()) {
      bus.#watch.start();
      return bus;
    }
    await bus.close();
    throw noBroker(address);
  }

  async request(envelope: RequestEnvelope): Promise<object> {
    if (this.#isClosed) throw closed();
    return this.#sentRequests.measure(envelope.pattern, () => this.requester.request(envelope));
  }

  /** Resolves once every replica has the event. */
  publish(event: EventEnvelope): Promise<void> {
    return this.publishTogether([event]);
  }

  /** Resolves once every replica has the events, which are of one topic. Those of one key are stored together or not at all. */
  async publishTogether(events: readonly EventEnvelope[]): Promise<void> {
    if (this.#isClosed) throw closed();
    const records = events.map((event) => buildEventRecord(this.parts.nameOf(event.topic), event));
    await this.parts.producers.post(records).stored;
  }

  /** Starts reading the topic with its first handler: register all its handlers in the same turn. */
  handle(topic: Topic, pattern: string, handler: RequestHandler, ownLimits?: RequestLimits): void {
    let reader = this.#requests.get(topic);
    if (reader === undefined) {
      reader = new RequestReader(this.parts, {
        topic,
        limits: this.options.requests ?? DEFAULT_REQUEST_LIMITS,
        onAssignmentChange: (moved) => this.#notifyListeners(topic, moved),
      });
      this.#requests.set(topic, reader);
      this.#start(reader);
    }
    reader.add(pattern, handler, ownLimits);
  }

  /** A named group starts with the oldest event in the topic. Register as for `handle`. */
  consume(topic: Topic, pattern: string, group: ConsumerGroup, handler: EventHandler): () => Promise<void> {
    const key = `${String(group)} ${topic}`;
    let reader = this.#events.get(key);
    if (reader === undefined) {
      const limits = this.options.events ?? DEFAULT_CONSUMER_LIMITS;
      const pin = group === EACH_INSTANCE ? { pin: this.#fromItsEnd(topic) } : {};
      reader = new EventReader(this.parts, { topic, group, limits, ...pin });
      this.#events.set(key, reader);
      this.#start(reader);
    }
    reader.add(pattern, handler);
    return () => this.#leave(key);
  }

  /** Returns all partitions of a topic, each from where it ends when the reader starts. */
  #fromItsEnd(topic: Topic): Pin {
    const { withAdmin, nameOf } = this.parts;
    return {
      partitions: [...Array(this.partitions.get(topic) ?? 0).keys()],
      async offsets() {
        const ends = await withAdmin((admin) => admin.fetchTopicOffsets(nameOf(topic)));
        return new Map(ends.map(({ partition, high }) => [partition, high]));
      },
    };
  }

  /** The group continues in its other instances; in this one all its patterns of the topic end together. */
  async #leave(key: string): Promise<void> {
    const reader = this.#events.get(key);
    this.#events.delete(key);
    await reader?.close(LIMITS.messaging.closeWaitMs);
  }

  /**
   * Waits until a group, in any instance, has processed every event that the topic has now.
   * @returns whether it has within `waitMs`
   */
  hasConsumed(topic: Topic, group: string, waitMs: number): Promise<boolean> {
    const { withAdmin, nameOf } = this.parts;
    const names = { topic: nameOf(topic), groupId: nameOf(buildGroupName(topic, group)) };
    return withAdmin((admin) => waitUntilConsumed(admin, names, waitMs));
  }

  /** Returns access to the records of a topic, to read or delete them. */
  contents(topic: Topic): TopicContents {
    return new TopicContents(this.parts, { topicPrefix: this.options.topicPrefix ?? '', topic });
  }

  /** Returns a reader of the ends of topics; close it. */
  ends(): TopicEnds {
    return new TopicEnds(this.parts);
  }

  /** Adds work that is done, within bounds, once the cluster has lost topics and before `onFatal` is called. */
  onTopicsLost(listener: () => Promise<void>): void {
    this.#watch.onLoss(listener);
  }

  owns(topic: Topic, key: string): boolean {
    const reader = this.#requests.get(topic);
    const partitions = this.partitions.get(topic);
    return partitions !== undefined && reader?.reader.has(computePartition(key, partitions)) === true;
  }

  onAssignmentChange(topic: Topic, listener: AssignmentListener): void {
    this.#assignmentListeners.set(topic, [...(this.#assignmentListeners.get(topic) ?? []), listener]);
  }

  /** Resolves once every registered reader has its assignment; rejects if one could not start. */
  async ready(): Promise<void> {
    await Promise.all(this.#starting);
  }

  /** Whether every reader is a member of its group and had contact recently. */
  isReady(): boolean {
    return this.#closing === null && this.#readers().every(({ reader }) => reader.isAlive());
  }

  /**
   * Reads nothing more, completes what has begun, commits, leaves every group; then sends nothing more. All within
   * bounds. Until then work in progress may still send requests and publish.
   */
  close(): Promise<void> {
    return (this.#closing ??= this.#closeWithin(this.options.closeWaitMs ?? LIMITS.messaging.closeWaitMs));
  }

  async #closeWithin(closeWaitMs: number): Promise<void> {
    // Not awaited: it may wait for brokers.
    void this.#watch.stop();
    // The remaining time is for leaving the groups and closing the connections.
    const endsAtMs = performance.now() + closeWaitMs - 2 * LIMITS.kafka.disconnectWaitMs;
    const leftMs = () => endsAtMs - performance.now();
    const closing = [...this.#requests.values(), ...this.#events.values()].map((reader) => reader.close(leftMs()));
    await settlesWithin(Promise.all(closing), leftMs() + LIMITS.kafka.disconnectWaitMs);
    this.#isClosed = true;
    await settlesWithin(this.requester.settled(), leftMs());
    await Promise.all([this.parts.producers.close(leftMs()), this.requester.reader.leave()]);
  }

  #notifyListeners(topic: Topic, moved: ReadonlySet<number>): void {
    const partitions = this.partitions.get(topic) ?? 0;
    const isMoved = (key: string) => moved.has(computePartition(key, partitions));
    for (const listener of this.#assignmentListeners.get(topic) ?? []) listener(isMoved);
  }

  #readers(): ObservedReader[] {
    return [this.requester, ...this.#requests.values(), ...this.#events.values()];
  }

  #start({ reader }: ObservedReader): void {
    const starting = reader.start();
    starting.catch(this.parts.reader.onFatal);
    this.#starting.push(starting);
  }
}

function noBroker({ brokers }: KafkaAddress): Error {
  return new Error(`No Kafka broker answers at ${brokers.join(', ')}`);
}

function closed(): SettleError {
  return new SettleError('service_unavailable', 'The message bus is closed. Try again shortly.');
}
