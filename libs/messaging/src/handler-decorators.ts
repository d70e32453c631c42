import 'reflect-metadata';
import { Catch, UseFilters, type ExceptionFilter } from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import type { EventContract, RequestContract, Topic } from '@settle/contracts';
import type { EventEnvelope, ConsumerGroup, RequestEnvelope, RequestLimits } from './message-bus.js';
import { dtoCheck, type DtoClass, type PayloadCheck } from './payload-check.js';

/** Separates handlers of this transport from those of other transports in the same application. */
export const BUS_TRANSPORT = Symbol('settle message bus');

/** The metadata of a handler that `BusServer` reads. */
interface Route {
  readonly topic: Topic;
  readonly pattern: string;
  readonly check: PayloadCheck;
}

export interface RequestRoute extends Route {
  readonly limits: RequestLimits | undefined;
}

export interface EventRoute extends Route {
  readonly group: ConsumerGroup;
}

/** Nest would turn an error into an Observable of a text; the bus needs the error as it was thrown. */
@Catch()
class ThrowOn implements ExceptionFilter {
  catch(error: unknown): never {
    throw error;
  }
}

const throwOn = new ThrowOn();

type RequestMethod<Request, Reply> = (payload: Request, envelope: RequestEnvelope) => Promise<Reply>;
type EventsMethod = (events: readonly EventEnvelope[]) => Promise<void>;
/** Type of methods that can be called as `Fn`, including those with fewer parameters. */
type Method<Fn> = <Own extends Fn>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Own>,
) => void;

/**
 * Handles the requests of a contract. The method receives `(payload, envelope)`; a payload that the validators of its
 * class refuse is answered with `invalid_request` and does not reach the method.
 * @param limits bounds of this pattern in place of the default ones
 */
export function OnRequest<Request extends object, Reply extends object>(
  contract: RequestContract<Request, Reply>,
  { limits }: { readonly limits?: RequestLimits } = {},
): Method<RequestMethod<Request, Reply>> {
  const { topic, pattern } = contract;
  return (target, key, descriptor) => {
    const route: RequestRoute = { topic, pattern, check: dtoCheck(payloadClass(target, key)), limits };
    Payload()(target, key, 0);
    Ctx()(target, key, 1);
    MessagePattern(`${topic} ${pattern}`, BUS_TRANSPORT, route)(target, key, descriptor);
    UseFilters(throwOn)(target, key, descriptor);
  };
}

/**
 * Consumes the events of a contract as a named group, or in each instance. If the method rejects, the same events are
 * delivered again; an event that the validators of its class refuse is logged and skipped, because it would be refused
 * every time.
 */
export function OnEvents<Payload>(contract: EventContract<Payload>, group: ConsumerGroup): Method<EventsMethod> {
  const { topic, pattern, classOf } = contract;
  const checks = new Map<DtoClass, PayloadCheck>();
  const check: PayloadCheck = (payload) => {
    const dto = classOf(payload as Payload);
    const known = checks.get(dto) ?? dtoCheck(dto);
    checks.set(dto, known);
    return known(payload);
  };
  return (target, key, descriptor) => {
    const route: EventRoute = { topic, pattern, group, check };
    const onEvent = EventPattern(`${topic} ${pattern} ${String(group)}`, BUS_TRANSPORT, route) as MethodDecorator;
    onEvent(target, key, descriptor);
    UseFilters(throwOn)(target, key, descriptor);
  };
}

function payloadClass(target: object, key: string | symbol): DtoClass {
  const types = Reflect.getMetadata('design:paramtypes', target, key) as unknown[] | undefined;
  const dto = types?.[0];
  if (typeof dto === 'function' && dto !== Object) return dto as DtoClass;
  throw new Error(`${target.constructor.name}.${String(key)}: its first parameter must be a class with validators.`);
}
