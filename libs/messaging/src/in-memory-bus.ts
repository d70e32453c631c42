import { LIMITS } from '@settle/config';
import { SettleError, fromErrorPayload, toErrorPayload, type Topic } from '@settle/contracts';
import type { Logger, Metrics } from '@settle/observability';
import { EventConsumer, type ConsumerLimits } from './event-consumer.js';
import {
  EACH_INSTANCE,
  type EventEnvelope,
  type EventHandler,
  type ConsumerGroup,
  type MessageBus,
  type RequestEnvelope,
  type RequestHandler,
  type RequestLimits,
} from './message-bus.js';
import { RequestLimiter } from './request-limiter.js';
import { RequestMeter } from './request-meter.js';

const REQUEST_LIMITS: RequestLimits = {
  inProgress: LIMITS.messaging.requestsInProgress,
  waiting: LIMITS.messaging.requestsWaiting,
};

const EVENT_LIMITS: ConsumerLimits = {
  perBatch: LIMITS.messaging.eventsPerBatch,
  waiting: LIMITS.messaging.eventsWaiting,
  pauseMinMs: LIMITS.messaging.retryPauseMinMs,
  pauseMaxMs: LIMITS.messaging.retryPauseMaxMs,
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

/** Carries messages between the services of one process, which owns every key. */
export class InMemoryBus implements MessageBus {
  readonly #limiters = new Map<Topic, RequestLimiter>();
  readonly #handlers = new Map<string, RequestHandler>();
  readonly #followers = new Map<string, EventConsumer[]>();
  readonly #options: Required<Omit<InMemoryBusOptions, 'metrics'>>;
  readonly #asked: RequestMeter;
  #isClosed = false;

  constructor({ metrics, ...options }: InMemoryBusOptions) {
    this.#asked = new RequestMeter(metrics, 'asked');
    const { closeWaitMs } = LIMITS.messaging;
    this.#options = { requests: REQUEST_LIMITS, events: EVENT_LIMITS, closeWaitMs, copyMessages: false, ...options };
  }

  request(envelope: RequestEnvelope): Promise<object> {
    const handler = this.#handlers.get(route(envelope));
    if (handler === undefined || this.#isClosed) return Promise.reject(noHandler());
    let limiter = this.#limiters.get(envelope.topic);
    if (limiter === undefined)
      this.#limiters.set(envelope.topic, (limiter = new RequestLimiter(this.#options.requests)));
    const turn = limiter;
    return this.#asked.measure(envelope.pattern, () => turn.ask(this.#outgoing(envelope), handler));
  }

  async publish(event: EventEnvelope): Promise<void> {
    if (this.#isClosed) throw noHandler();
    const followers = this.#followers.get(route(event)) ?? [];
    // All groups or none: a group could not get an event later that only the others had received.
    if (!followers.every((follower) => follower.hasRoom())) {
      throw new SettleError('service_unavailable', 'Too many events are waiting. Try again shortly.');
    }
    await Promise.all(followers.map((follower) => follower.deliver(this.#outgoing(event))));
  }

  handle(topic: Topic, pattern: string, handler: RequestHandler): void {
    const key = route({ topic, pattern });
    if (this.#handlers.has(key)) throw new Error(`Two handlers for ${key} in one process.`);
    this.#handlers.set(key, async (payload, envelope) => {
      try {
        const reply = await handler(payload, envelope);
        return this.#options.copyMessages ? copy(reply) : reply;
      } catch (error) {
        throw this.#crossing(error, envelope);
      }
    });
  }

  /** A group that has left stays registered: its events are refused, because this bus does not store them. */
  consume(topic: Topic, pattern: string, as: ConsumerGroup, handler: EventHandler): () => Promise<void> {
    const key = route({ topic, pattern });
    const group = String(as);
    const others = (this.#followers.get(key) ?? []).filter(
      (follower) => follower.group !== group || !follower.isClosed,
    );
    if (others.some((follower) => follower.group === group)) {
      throw new Error(`Two followers of ${key} in group ${group} in one process.`);
    }
    const onFailure = (err: unknown) => this.#options.logger.error({ err, topic, pattern, group }, 'events not taken');
    const follower = new EventConsumer(group, handler, this.#options.events, onFailure);
    this.#followers.set(key, [...others, follower]);
    return async () => {
      await follower.close();
      // Events for single instances are not stored for them.
      if (as === EACH_INSTANCE) this.#forget(key, follower);
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
    const followers = [...this.#followers.values()].flat().map((follower) => follower.close());
    let timer: NodeJS.Timeout | undefined;
    const timeUp = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.#options.closeWaitMs)));
    await Promise.race([Promise.all([...limiters, ...followers]), timeUp]);
    clearTimeout(timer);
  }

  #forget(key: string, follower: EventConsumer): void {
    const others = this.#followers.get(key) ?? [];
    this.#followers.set(
      key,
      others.filter((other) => other !== follower),
    );
  }

  #outgoing<Message extends object>(message: Message): Message {
    return this.#options.copyMessages ? copy(message) : message;
  }

  /**
   * Returns the error that the requester sees. An unexpected error is logged under the request's id and not passed on.
   */
  #crossing(error: unknown, { requestId, topic, pattern }: RequestEnvelope): SettleError {
    if (!(error instanceof SettleError)) {
      this.#options.logger.error({ err: error, requestId, topic, pattern }, 'request handler failed');
    }
    const payload = toErrorPayload(error);
    return fromErrorPayload(this.#options.copyMessages ? copy(payload) : payload);
  }
}

function route({ topic, pattern }: { readonly topic: Topic; readonly pattern: string }): string {
  return `${topic} ${pattern}`;
}

function copy<Message>(message: Message): Message {
  return JSON.parse(JSON.stringify(message)) as Message;
}

function noHandler(): SettleError {
  return new SettleError('service_unavailable', 'The service that answers this is not running. Try again shortly.');
}
