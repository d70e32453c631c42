import { settlesWithin } from '@settle/concurrency';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { isObservable, lastValueFrom } from 'rxjs';
import { BUS_TRANSPORT, type EventRoute, type RequestRoute } from './handler-decorators.js';
import { tracedRequest, type EventEnvelope, type MessageBus, type RequestEnvelope } from './message-bus.js';

/**
 * Connects the handlers of one Nest application to the bus: `app.connectMicroservice({ strategy: new BusServer(bus)
 * })`.
 */
export class BusServer extends Server implements CustomTransportStrategy {
  override readonly transportId = BUS_TRANSPORT;
  /** The bus handles a failure of an event handler: it delivers the events again. */
  override readonly propagatesEventHandlerErrors = true;
  readonly #inProgress = new Set<Promise<unknown>>();
  #isClosed = false;
  readonly #leave: (() => Promise<void>)[] = [];

  constructor(private readonly bus: MessageBus) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    try {
      for (const handler of this.messageHandlers.values()) {
        if (handler.isEventHandler) this.#consume(handler, handler.extras as EventRoute);
        else this.#handle(handler, handler.extras as RequestRoute);
      }
    } catch (error) {
      return callback(error);
    }
    callback();
  }

  /** Refuses new messages and waits, within bounds, for those in progress. The bus stays open for its other users. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#leave.map((leave) => leave()));
    await settlesWithin(Promise.allSettled(this.#inProgress), LIMITS.messaging.closeWaitMs);
  }

  on(): never {
    throw new Error('The message bus has no events of its own to listen to.');
  }

  unwrap<T>(): T {
    return this.bus as T;
  }

  #consume(handler: MessageHandler, route: EventRoute): void {
    const leave = this.bus.consume(route.topic, route.pattern, route.group, async (events) => {
      const readable = events.filter((event) => this.#isReadable(event, route));
      await this.#whileOpen(() => settled(handler(readable)));
    });
    this.#leave.push(leave);
  }

  #handle(handler: MessageHandler, { topic, pattern, check, limits }: RequestRoute): void {
    const respond = (envelope: RequestEnvelope): Promise<object> =>
      this.#whileOpen(() => {
        const problem = check(envelope.payload);
        if (problem !== null) throw new SettleError('invalid_request', problem);
        return settled(handler(envelope.payload, envelope)) as Promise<object>;
      });
    this.bus.handle(topic, pattern, (_payload, envelope) => tracedRequest('server', envelope, respond), limits);
  }

  #isReadable({ topic, pattern, payload }: EventEnvelope, { check, group }: EventRoute): boolean {
    const problem = payload === null ? null : check(payload);
    if (problem === null) return true;
    this.logger.error(`event of ${topic} (${pattern}) not readable for ${String(group)}; skipping it: ${problem}`);
    return false;
  }

  async #whileOpen<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isClosed) throw new SettleError('service_unavailable', 'The service is stopping. Try again shortly.');
    const running = work();
    this.#inProgress.add(running);
    try {
      return await running;
    } finally {
      this.#inProgress.delete(running);
    }
  }
}

/** With interceptors Nest returns an Observable, without them the value. */
async function settled(returned: ReturnType<MessageHandler>): Promise<unknown> {
  const result: unknown = await returned;
  return isObservable(result) ? lastValueFrom(result) : result;
}
