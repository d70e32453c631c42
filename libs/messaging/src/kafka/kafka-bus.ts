import { LIMITS } from '@settle/config';
import { SettleError, type ServiceName, type Topic } from '@settle/contracts';
import type { Logger, Metrics } from '@settle/observability';
import type { ConsumerLimits } from '../event-consumer.js';
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
import { RequestMeter } from '../request-meter.js';
import { EventReader, buildGroupName } from './event-reader.js';
import type { KafkaAddress } from './kafka-address.js';
import { createKafkaParts, type KafkaParts } from './kafka-parts.js';
import { buildEventRecord } from './kafka-record.js';
import { fetchEndOffsets, fetchMetadata } from './cluster-metadata.js';
import { computePartition } from './partition-of.js';
import { RequestReader } from './request-reader.js';
import { Requester } from './requester.js';
import type { AssignmentChange } from './assignment.js';
import type { Pin } from './topic-reader.js';
import { registerKafkaMetrics, type ObservedReader } from './kafka-metrics.js';
import { TopicContents } from './topic-contents.js';
import { waitUntilConsumed } from './wait-until-consumed.js';
import { settlesWithin } from './settles-within.js';

export interface KafkaBusOptions {
  readonly address: KafkaAddress;
  /** Name of this client in the cluster's logs and metrics. */
  readonly clientId: string;
  readonly logger: Logger;
  /** Absent: no metrics. */
  readonly metrics?: Metrics | undefined;
  /** Service whose topics are used; absent: all topics. */
  readonly principal?: ServiceName;
  /** Prefix of the names of topics and groups: several systems can share a cluster. */
  readonly topicPrefix?: string;
  /** After this silence of an instance its assignment goes to the others. */
  readonly sessionTimeoutMs?: number;
  /** Bounds of each pattern's requests. */
  readonly requests?: RequestLimits;
  readonly events?: Omit<ConsumerLimits, 'waiting'>;
  /** Longest wait of `close` for messages in progress. */
  readonly closeWaitMs?: number;
  /** Called when a reader has ended for good, which only a restart of the process repairs. */
  readonly onFatal?: (error: Error) => void;
}

/** Carries messages between processes over Apache Kafka. The topics must exist: see `createKafkaTopics`. */
export class KafkaBus implements MessageBus {
  readonly #requests = new Map<Topic, RequestReader>();
  readonly #events = new Map<string, EventReader>();
  readonly #starting: Promise<void>[] = [];
  readonly #asked: RequestMeter;
  readonly #shareListeners = new Map<Topic, AssignmentListener[]>();
  #closing: Promise<void> | null = null;
  #isClosed = false;

  private constructor(
    private readonly options: KafkaBusOptions,
    private readonly parts: KafkaParts,
    private readonly requester: Requester,
    private readonly partitions: ReadonlyMap<string, number>,
  ) {
    this.#asked = new RequestMeter(options.metrics, 'asked');
    if (options.metrics !== undefined) registerKafkaMetrics(options.metrics, parts.producers, () => this.#readers());
  }

  /**
   * Resolves once requests can be sent and received.
   * @throws one line with instructions if the cluster does not respond within 30 s or lacks a topic
   */
  static async connect(options: KafkaBusOptions): Promise<KafkaBus> {
    const { address } = options;
    const parts = createKafkaParts(options);
    const cluster = await parts.ask((admin) => fetchMetadata(admin, parts.nameOf, options.principal));
    const connecting = parts.producers.of(parts.repliesTopic).connect();
    if (!(await settlesWithin(LIMITS.kafka.firstConnectionWaitMs, connecting))) throw noBroker(address);
    const { requestsInProgress, requestsWaiting } = LIMITS.messaging;
    const requester = new Requester(parts, {
      partition: cluster.replyPartition,
      offset: cluster.replyOffset,
      waiting: requestsInProgress + requestsWaiting,
    });
    const bus = new KafkaBus(options, parts, requester, cluster.partitions);
    bus.#start(requester);
    if (await settlesWithin(LIMITS.kafka.startWaitMs, bus.ready())) await bus.ready();
    if (bus.isReady()) return bus;
    await bus.close();
    throw noBroker(address);
  }

  async request(envelope: RequestEnvelope): Promise<object> {
    if (this.#isClosed) throw closed();
    return this.#asked.measure(envelope.pattern, () => this.requester.ask(envelope));
  }

  /** Resolves once every replica has the event. */
  async publish(event: EventEnvelope): Promise<void> {
    if (this.#isClosed) throw closed();
    await this.parts.producers.post(buildEventRecord(this.parts.nameOf(event.topic), event)).stored;
  }

  /**
   * Starts reading the topic. Register all handlers of a topic in the same turn: the first one starts the reader for
   * all.
   */
  handle(topic: Topic, pattern: string, handler: RequestHandler, ownLimits?: RequestLimits): void {
    let reader = this.#requests.get(topic);
    if (reader === undefined) {
      const { requestsInProgress, requestsWaiting } = LIMITS.messaging;
      const limits = this.options.requests ?? { inProgress: requestsInProgress, waiting: requestsWaiting };
      const onShareChange = (change: AssignmentChange) => this.#onShareChange(topic, change);
      reader = new RequestReader(this.parts, { topic, limits, onShareChange });
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
      const { eventsPerBatch, retryPauseMinMs, retryPauseMaxMs } = LIMITS.messaging;
      const usual = { perBatch: eventsPerBatch, pauseMinMs: retryPauseMinMs, pauseMaxMs: retryPauseMaxMs };
      const pin = group === EACH_INSTANCE ? { pin: this.#fromItsEnd(topic) } : {};
      reader = new EventReader(this.parts, { topic, group, limits: this.options.events ?? usual, ...pin });
      this.#events.set(key, reader);
      this.#start(reader);
    }
    reader.add(pattern, handler);
    return () => this.#leave(key);
  }

  #fromItsEnd(topic: Topic): Pin {
    const { ask, nameOf } = this.parts;
    const partitions = [...Array(this.partitions.get(topic) ?? 0).keys()];
    return { partitions, offsets: () => ask((admin) => fetchEndOffsets(admin, nameOf(topic))) };
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
  hasTaken(topic: Topic, group: string, waitMs: number): Promise<boolean> {
    const { ask, nameOf } = this.parts;
    const names = { topic: nameOf(topic), groupId: nameOf(buildGroupName(topic, group)) };
    return ask((admin) => waitUntilConsumed(admin, names, waitMs));
  }

  /** Returns access to the records of a topic, to read or delete them. */
  contents(topic: Topic): TopicContents {
    const { reader, ask } = this.parts;
    const { topicPrefix = '', logger } = this.options;
    return new TopicContents({ kafka: reader.kafka, ask, topicPrefix, topic, logger });
  }

  owns(topic: Topic, key: string): boolean {
    const reader = this.#requests.get(topic);
    const partitions = this.partitions.get(topic);
    return reader !== undefined && partitions !== undefined && reader.has(computePartition(key, partitions));
  }

  onAssignmentChange(topic: Topic, listener: AssignmentListener): void {
    this.#shareListeners.set(topic, [...(this.#shareListeners.get(topic) ?? []), listener]);
  }

  /** Resolves once every registered reader has its assignment; rejects if one could not start. */
  async ready(): Promise<void> {
    await Promise.all(this.#starting);
  }

  /** Whether every reader is a member of its group and was heard of lately. */
  isReady(): boolean {
    return this.#closing === null && this.#readers().every((reader) => reader.isAlive());
  }

  /**
   * Reads nothing more, answers what has begun, commits, leaves every group; then sends nothing more. All within
   * bounds. Until then what has begun here may still ask and publish.
   */
  close(): Promise<void> {
    return (this.#closing ??= this.#closeWithin(this.options.closeWaitMs ?? LIMITS.messaging.closeWaitMs));
  }

  async #closeWithin(closeWaitMs: number): Promise<void> {
    // The remaining time is for leaving the groups and closing the connections.
    const endsAtMs = performance.now() + closeWaitMs - 2 * LIMITS.kafka.disconnectWaitMs;
    const leftMs = () => endsAtMs - performance.now();
    const closing = [...this.#requests.values(), ...this.#events.values()].map((reader) => reader.close(leftMs()));
    await settlesWithin(leftMs() + LIMITS.kafka.disconnectWaitMs, Promise.all(closing));
    this.#isClosed = true;
    await settlesWithin(leftMs(), this.requester.settled());
    await Promise.all([this.parts.producers.close(leftMs()), this.requester.close()]);
  }

  #onShareChange(topic: Topic, { gained, lost }: AssignmentChange): void {
    const moved = new Set([...gained, ...lost]);
    const partitions = this.partitions.get(topic) ?? 0;
    const isMoved = (key: string) => moved.has(computePartition(key, partitions));
    for (const listener of this.#shareListeners.get(topic) ?? []) listener(isMoved);
  }

  #readers(): ObservedReader[] {
    return [this.requester, ...this.#requests.values(), ...this.#events.values()];
  }

  #start(reader: Requester | RequestReader | EventReader): void {
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
