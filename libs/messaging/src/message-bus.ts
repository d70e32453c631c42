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
  /**
   * W3C `traceparent` of the span that asks; what a handler is given is that of its own span, for what it asks and
   * does in turn. Absent: it is not traced.
   */
  readonly traceparent?: string | undefined;
}

/** What a span tells of a request: where it goes, and the id under which logs know it. */
export function messageAttributes({ topic, requestId }: Pick<RequestEnvelope, 'topic' | 'requestId'>) {
  return { 'messaging.destination.name': topic, 'settle.request_id': requestId };
}

export interface EventEnvelope {
  readonly topic: Topic;
  readonly pattern: string;
  readonly key: string;
  /** Null deletes what the key names. */
  readonly payload: object | null;
  /** What stands beside the payload for whoever reads the topic, such as the event's id and type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** When it happened, in milliseconds since 1970; absent: when it is published. */
  readonly timestampMs?: number;
}

export type RequestHandler = (payload: object, envelope: RequestEnvelope) => Promise<object>;
/** Given a test of keys: whether this one came or went. */
export type ShareListener = (isMoved: (key: string) => boolean) => void;
export type EventHandler = (events: readonly EventEnvelope[]) => Promise<void>;

/**
 * In place of a group's name: every instance is given all that is published from its start on, and nothing from before.
 */
export const EACH_INSTANCE = Symbol('each instance');
export type FollowerGroup = string | typeof EACH_INSTANCE;

/** Bounds of the requests of one kind. */
export interface LaneLimits {
  /** Requests that are worked on at once. */
  readonly inProgress: number;
  /** Requests that may wait for that; one more is refused. */
  readonly waiting: number;
}

/** What carries messages between services. Every adapter passes `message-bus.contract.fixture.ts`. */
export interface MessageBus {
  /**
   * Asks and waits. Errors are those of the catalogue: what the handler threw, `service_unavailable` when nothing
   * was sent or the queue is full, `outcome_unknown` when no answer came within `timeoutMs`.
   */
  request(envelope: RequestEnvelope): Promise<object>;
  /** Hands an event to every group that listens; resolves once it is safe (in memory: once each group has handled it). */
  publish(event: EventEnvelope): Promise<void>;
  /**
   * Answers one pattern of a topic. One handler a pattern and process. `limits` are the pattern's own bounds, where
   * the adapter bounds patterns apart from each other.
   */
  handle(topic: Topic, pattern: string, handler: RequestHandler, limits?: LaneLimits): void;
  /**
   * Follows one pattern of a topic as a named group; a handler that rejects is given the same events again.
   * @returns leaves: nothing more is handed over, and whoever publishes no longer waits for this process
   */
  follow(topic: Topic, pattern: string, group: FollowerGroup, handler: EventHandler): () => Promise<void>;
  /** Whether requests of this key come to this instance. */
  owns(topic: Topic, key: string): boolean;
  /**
   * Told whenever this instance gains or loses keys of a topic, before anything of them is handled: what it kept in
   * memory of those that moved may be old. Register before the topic's handlers.
   */
  whenShareChanges(topic: Topic, listener: ShareListener): void;
  close(): Promise<void>;
}
