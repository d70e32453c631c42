import { randomUUID } from 'node:crypto';
import type { EventContract, RequestContract } from '@settle/contracts';
import { traced } from '@settle/observability';
import { messageAttributes, type MessageBus } from './message-bus.js';

export interface RequestOptions {
  /** Who acts: decides which instance gets the request, and orders requests of one key. */
  readonly key: string;
  readonly timeoutMs: number;
  /** Drawn when absent. */
  readonly requestId?: string;
  /** W3C `traceparent` of the span that this belongs to; absent: it is not traced. */
  readonly traceparent?: string | undefined;
}

/** Sends what the contracts allow. Give one to each Nest application as `MessageClient`. */
export class MessageClient {
  constructor(private readonly bus: MessageBus) {}

  /**
   * Asks and waits for the answer. Errors: what the contract names, `service_unavailable` when nothing was begun,
   * `outcome_unknown` when no answer came within `timeoutMs`.
   */
  request<Request extends object, Reply extends object>(
    { topic, pattern }: RequestContract<Request, Reply>,
    payload: Request,
    { key, timeoutMs, requestId = randomUUID(), traceparent: parent }: RequestOptions,
  ): Promise<Reply> {
    const envelope = { topic, pattern, key, payload, requestId, timeoutMs };
    if (parent === undefined) return this.bus.request(envelope) as Promise<Reply>;
    const span = { kind: 'client', parent, attributes: messageAttributes(envelope) } as const;
    const ask = (traceparent: string | undefined) => this.bus.request({ ...envelope, traceparent });
    return traced(`ask ${pattern}`, span, ask) as Promise<Reply>;
  }

  /** Tells every group that follows. A payload of null deletes what the key names. Resolves once the event is safe. */
  publish<Payload extends object>(
    { topic, pattern }: EventContract<Payload>,
    key: string,
    payload: Payload | null,
  ): Promise<void> {
    return this.bus.publish({ topic, pattern, key, payload });
  }
}
