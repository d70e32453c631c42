import { randomUUID } from 'node:crypto';
import type { EventContract, RequestContract } from '@settle/contracts';
import { tracedRequest, type MessageBus } from './message-bus.js';

export interface RequestOptions {
  /** Id of the acting user: decides which instance gets the request, and orders requests of one key. */
  readonly key: string;
  readonly timeoutMs: number;
  /** Generated if absent. */
  readonly requestId?: string;
  /** W3C `traceparent` of the enclosing span; absent if not traced. */
  readonly traceparent?: string | undefined;
}

/** Sends requests and events of the contracts. Give one to each Nest application as `MessageClient`. */
export class MessageClient {
  constructor(private readonly bus: MessageBus) {}

  /**
   * Sends a request and waits for the response. Errors: those of the contract, `service_unavailable` if nothing was
   * begun, `outcome_unknown` if no response came within `timeoutMs`.
   */
  request<Request extends object, Reply extends object>(
    { topic, pattern }: RequestContract<Request, Reply>,
    payload: Request,
    { key, timeoutMs, requestId = randomUUID(), traceparent }: RequestOptions,
  ): Promise<Reply> {
    const envelope = { topic, pattern, key, payload, requestId, timeoutMs, traceparent };
    return tracedRequest('client', envelope, (request) => this.bus.request(request)) as Promise<Reply>;
  }

  /**
   * Publishes an event to every consumer group. A null payload deletes the record of the key. Resolves once the event
   * is safe.
   */
  publish<Payload extends object>(
    { topic, pattern }: EventContract<Payload>,
    key: string,
    payload: Payload | null,
  ): Promise<void> {
    return this.bus.publish({ topic, pattern, key, payload });
  }
}
