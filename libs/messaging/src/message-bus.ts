import type { Topic } from '@settle/contracts';
import { traced } from '@settle/observability';

/** A request in transit. `key` decides which instance gets it and orders requests of one key. */
export interface RequestEnvelope {
  readonly topic: Topic;
  readonly pattern: string;
  readonly key: string;
  readonly payload: object;
  /** Identifies one caller's request in logs of all processes. */
  readonly requestId: string;
  readonly timeoutMs: number;
  /**
   * W3C `traceparent` of the requesting span. A handler receives that of its own span, for its own requests. Absent:
   * the request is not traced.
   */
  readonly traceparent?: string | undefined;
}

/** Runs `work` with the request in a span of its own, or without one if the request is not traced. */
export function tracedRequest(
  kind: 'client' | 'server',
  request: RequestEnvelope,
  work: (request: RequestEnvelope) => Promise<object>,
): Promise<object> {
  const { traceparent: parent, topic, pattern, requestId } = request;
  if (parent === undefined) return work(request);
  const attributes = { 'messaging.destination.name': topic, 'settle.request_id': requestId };
  const name = `${kind === 'client' ? 'ask' : 'answer'} ${pattern}`;
  return traced(name, { kind, parent, attributes }, (traceparent) => work({ ...request, traceparent }));
}

export interface EventEnvelope {
  readonly topic: Topic;
  readonly pattern: string;
  readonly key: string;
  /** Null deletes the record of the key. */
  readonly payload: object | null;
  /** Headers for readers of the topic, such as the event's id and type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Time of the event in milliseconds since 1970; absent: the time of publishing. */
  readonly timestampMs?: number;
}

export type RequestHandler = (payload: object, envelope: RequestEnvelope) => Promise<object>;
/** Receives a test whether a key was assigned to, or taken from, this instance. */
export type AssignmentListener = (isMoved: (key: string) => boolean) => void;
export type EventHandler = (events: readonly EventEnvelope[]) => Promise<void>;

/**
 * In place of a group's name: every instance receives everything that is published from its start on, and nothing
 * older.
 */
export const EACH_INSTANCE = Symbol('each instance');
export type ConsumerGroup = string | typeof EACH_INSTANCE;

/**
 * Delivers stored events to a group, from the checkpoint of the group on, as `MessageBus.consume` does.
 * @returns a function that leaves
 */
export type EventSource = (group: ConsumerGroup, handler: EventHandler) => () => Promise<void>;

/** Bounds of the requests of one kind. */
export interface RequestLimits {
  /** Most requests in progress. */
  readonly inProgress: number;
  /** Most requests that may wait; further ones are refused. */
  readonly waiting: number;
}

/** Carries messages between services. Every adapter passes `message-bus.contract.fixture.ts`. */
export interface MessageBus {
  /**
   * Sends a request and waits for the response. Errors of the catalogue: the handler's, `service_unavailable` if
   * nothing was sent or the queue is full, `outcome_unknown` if no response came within `timeoutMs`.
   */
  request(envelope: RequestEnvelope): Promise<object>;
  /**
   * Delivers an event to every listening group; resolves once it is safe (in memory: once each group has handled it).
   */
  publish(event: EventEnvelope): Promise<void>;
  /**
   * Registers the handler of one pattern of a topic, one per process. `limits` apply to the pattern if the adapter
   * bounds patterns separately.
   */
  handle(topic: Topic, pattern: string, handler: RequestHandler, limits?: RequestLimits): void;
  /**
   * Consumes one pattern of a topic as a named group; if the handler rejects, the same events are delivered again.
   * @returns a function that leaves: no further events are delivered, and publishers no longer wait for this process
   */
  consume(topic: Topic, pattern: string, group: ConsumerGroup, handler: EventHandler): () => Promise<void>;
  /** Whether requests of this key come to this instance. */
  owns(topic: Topic, key: string): boolean;
  /**
   * Calls the listener whenever this instance gains or loses keys of a topic, before it handles a message of them:
   * cached state of those keys may be stale. Register it before the topic's handlers.
   */
  onAssignmentChange(topic: Topic, listener: AssignmentListener): void;
  close(): Promise<void>;
}
