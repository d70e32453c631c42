import { settlesWithin } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError, fromErrorPayload, toErrorPayload, type Topic } from '@settle/contracts';
import type { Logger, Metrics } from '@settle/observability';
import { DEFAULT_CONSUMER_LIMITS, EventConsumer, type ConsumerLimits } from './event-consumer.js';
import {
  EACH_INSTANCE,
  type ConsumerGroup,
  type EventEnvelope,
  type EventHandler,
  type EventSource,
  type MessageBus,
  type RequestEnvelope,
  type RequestHandler,
  type RequestLimits,
} from './message-bus.js';
import { DEFAULT_REQUEST_LIMITS, RequestLimiter } from './request-limiter.js';
import { RequestMeter } from './request-meter.js';

const DEFAULTS = {
  requests: DEFAULT_REQUEST_LIMITS,
  events: DEFAULT_CONSUMER_LIMITS,
  closeWaitMs: LIMITS.messaging.closeWaitMs,
  copyMessages: false,
};

export interface InMemoryBusOptions {
  readonly logger: Logger;
  /** Absent: no metrics. */
  readonly metrics?: Metrics | undefined;
  /** Bounds of each topic's requests. */
  readonly requests?: RequestLimits;
  /** Bounds of each consumer's events. */
  readonly events?: ConsumerLimits;
  /** Longest wait of `close` for messages in progress. */
  readonly closeWaitMs?: number;
  /** Serializes every message as JSON, to show that it could leave the process. For specs: it costs time. */
  readonly copyMessages?: boolean;
}

type Route = Pick<EventEnvelope, 'topic' | 'pattern'>;

/** Carries messages between the services of one process, which owns every key. */
export class InMemoryBus implements MessageBus {
  readonly #limiters = new Map<Topic, RequestLimiter>();
  readonly #handlers = new Map<string, RequestHandler>();
  /** By route, then by group. */
  readonly #consumers = new Map<string, Map<ConsumerGroup, EventConsumer>>();
  readonly #groups = new Set<string>();
  readonly #sources = new Map<string, EventSource>();
  readonly #options: Required<Omit<InMemoryBusOptions, 'metrics'>>;
  readonly #requests: RequestMeter;
  #isClosed = false;

  constructor({ metrics, ...options }: InMemoryBusOptions) {
    this.#requests = new RequestMeter(metrics, 'asked');
    this.#options = { ...DEFAULTS, ...options };
  }

  request(envelope: RequestEnvelope): Promise<object> {
    const handler = this.#handlers.get(keyOf(envelope));
    if (handler === undefined || this.#isClosed) return Promise.reject(noHandler());
    const limiter = this.#limiters.get(envelope.topic) ?? new RequestLimiter(this.#options.requests);
    this.#limiters.set(envelope.topic, limiter);
    return this.#requests.measure(envelope.pattern, () => limiter.run(this.#outgoing(envelope), handler));
  }

  async publish(event: EventEnvelope): Promise<void> {
    if (this.#isClosed) throw noHandler();
    const consumers = [...(this.#consumers.get(keyOf(event))?.values() ?? [])];
    // All groups or none: a group could not get an event later that only the others had received.
    if (!consumers.every((consumer) => consumer.hasRoom())) {
      throw new SettleError('service_unavailable', 'Too many events are waiting. Try again shortly.');
    }
    await Promise.all(consumers.map((consumer) => consumer.deliver(this.#outgoing(event))));
  }

  handle(topic: Topic, pattern: string, handler: RequestHandler): void {
    const key = keyOf({ topic, pattern });
    if (this.#handlers.has(key)) throw new Error(`Two handlers for ${key} in one process.`);
    this.#handlers.set(key, async (payload, envelope) => {
      try {
        return this.#outgoing(await handler(payload, envelope));
      } catch (error) {
        throw this.#toSettleError(error, envelope);
      }
    });
  }

  /**
   * Makes the source deliver these events to all groups, in place of `publish`: this bus stores nothing, so a group could
   * not continue where it was when the process ended. Call it before the first `consume`.
   */
  useSource({ topic, pattern }: Route, source: EventSource): void {
    const key = keyOf({ topic, pattern });
    if (this.#consumers.has(key)) throw new Error(`A consumer of ${key} was registered before its source.`);
    this.#sources.set(key, source);
  }

  consume(topic: Topic, pattern: string, group: ConsumerGroup, handler: EventHandler): () => Promise<void> {
    const key = keyOf({ topic, pattern });
    const name = `${key} in group ${String(group)}`;
    if (this.#groups.has(name)) throw new Error(`Two consumers of ${name} in one process.`);
    this.#groups.add(name);
    const leave =
      this.#sources.get(key)?.(group, handler) ?? this.#consumePublished({ topic, pattern }, group, handler);
    return async () => {
      await leave();
      this.#groups.delete(name);
    };
  }

  /** A group that has left stays registered: its events are refused, because this bus does not store them. */
  #consumePublished(route: Route, group: ConsumerGroup, handler: EventHandler): () => Promise<void> {
    const key = keyOf(route);
    const { logger, events } = this.#options;
    const onFailure = (err: unknown) =>
      logger.error({ err, ...route, group: String(group) }, 'events not processed; delivering them again');
    const consumer = new EventConsumer(handler, events, onFailure);
    const groups = this.#consumers.get(key) ?? new Map<ConsumerGroup, EventConsumer>();
    this.#consumers.set(key, groups.set(group, consumer));
    return async () => {
      await consumer.close();
      // Events for single instances are not stored for them.
      if (group === EACH_INSTANCE) groups.delete(group);
    };
  }

  owns(): boolean {
    return true;
  }

  /** Never calls the listener: this process owns every key at all times. */
  onAssignmentChange(): void {}

  /** Refuses new messages and waits, within bounds, for those in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const limiters = [...this.#limiters.values()].map((limiter) => limiter.idle());
    const consumers = [...this.#consumers.values()].flatMap((groups) => [...groups.values()]);
    const ended = Promise.all([...limiters, ...consumers.map((consumer) => consumer.close())]);
    await settlesWithin(ended, this.#options.closeWaitMs);
  }

  #outgoing<Message extends object>(message: Message): Message {
    return this.#options.copyMessages ? (JSON.parse(JSON.stringify(message)) as Message) : message;
  }

  /**
   * Returns the error that the requester receives. An unexpected error is logged under the request's id and not passed
   * on.
   */
  #toSettleError(error: unknown, { requestId, topic, pattern }: RequestEnvelope): SettleError {
    if (!(error instanceof SettleError)) {
      this.#options.logger.error({ err: error, requestId, topic, pattern }, 'request handler failed');
    }
    return fromErrorPayload(this.#outgoing(toErrorPayload(error)));
  }
}

function keyOf({ topic, pattern }: Route): string {
  return `${topic} ${pattern}`;
}

function noHandler(): SettleError {
  return new SettleError('service_unavailable', 'The service that answers this is not running. Try again shortly.');
}
