import type { Topic } from '@settle/contracts';

/** A request on its way. `key` decides which instance gets it and orders requests of one key. */
export interface RequestEnvelope {
  readonly topic: Topic;
  readonly pattern: string;
  readonly key: string;
  readonly payload: object;
  /** Follows one caller's request through logs and processes. */
  readonly requestId: string;
  readonly timeoutMs: number;
}

export interface EventEnvelope {
  readonly topic: Topic;
  readonly pattern: string;
  readonly key: string;
  /** Null deletes what the key names. */
  readonly payload: object | null;
}

export type RequestHandler = (payload: object, envelope: RequestEnvelope) => Promise<object>;
export type EventHandler = (events: readonly EventEnvelope[]) => Promise<void>;

/** What carries messages between services. Every adapter passes `message-bus.contract.fixture.ts`. */
export interface MessageBus {
  /**
   * Asks and waits. Errors are those of the catalogue: what the handler threw, `service_unavailable` when nothing
   * was sent or the queue is full, `outcome_unknown` when no answer came within `timeoutMs`.
   */
  request(envelope: RequestEnvelope): Promise<object>;
  /** Hands an event to every group that listens; resolves once it is safe (in memory: once each group has handled it). */
  publish(event: EventEnvelope): Promise<void>;
  /** Answers one pattern of a topic. One handler a pattern and process. */
  handle(topic: Topic, pattern: string, handler: RequestHandler): void;
  /**
   * Follows one pattern of a topic as a named group; a handler that rejects is given the same events again.
   * @returns leaves: nothing more is handed over, and whoever publishes no longer waits for this process
   */
  follow(topic: Topic, pattern: string, group: string, handler: EventHandler): () => Promise<void>;
  /** Whether requests of this key come to this instance. */
  owns(topic: Topic, key: string): boolean;
  close(): Promise<void>;
}
