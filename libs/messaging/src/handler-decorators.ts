import 'reflect-metadata';
import { Catch, UseFilters, type ExceptionFilter } from '@nestjs/common';
import { Ctx, EventPattern, MessagePattern, Payload } from '@nestjs/microservices';
import type { EventContract, RequestContract, Topic } from '@settle/contracts';
import type { EventEnvelope, FollowerGroup, RequestEnvelope, LaneLimits } from './message-bus.js';
import { dtoCheck, type DtoClass, type PayloadCheck } from './payload-check.js';

/** Keeps handlers of this transport apart from those of any other in the same application. */
export const BUS_TRANSPORT = Symbol('settle message bus');

/** What `BusServer` reads of a handler that Nest gives it. */
export interface RequestRoute {
  readonly topic: Topic;
  readonly pattern: string;
  readonly check: PayloadCheck;
  readonly limits: LaneLimits | undefined;
}

export interface EventRoute {
  readonly topic: Topic;
  readonly pattern: string;
  readonly group: FollowerGroup;
  readonly check: PayloadCheck;
}

/** Nest would turn an error into an Observable of a text; ours must reach the bus as it was thrown. */
@Catch()
class ThrowOn implements ExceptionFilter {
  catch(error: unknown): never {
    throw error;
  }
}

const throwOn = new ThrowOn();

type RequestMethod<Request, Reply> = (payload: Request, envelope: RequestEnvelope) => Promise<Reply>;
type EventsMethod = (events: readonly EventEnvelope[]) => Promise<void>;
/** Decorates methods that can be called as `Fn`, also such as take fewer parameters. */
type Method<Fn> = <Own extends Fn>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Own>,
) => void;

export interface OnRequestOptions {
  /** Runs in place of the DTO's validators, which it must equal: a property test shows so wherever it is used. */
  readonly check?: PayloadCheck;
  /** The pattern's own bounds, in place of those of every pattern. */
  readonly limits?: LaneLimits;
}

/**
 * Answers the requests of a contract. The method gets `(payload, envelope)`; what the validators of the payload's
 * class refuse is answered `invalid_request` and never reaches it.
 */
export function OnRequest<Request extends object, Reply extends object>(
  contract: RequestContract<Request, Reply>,
  { check, limits }: OnRequestOptions = {},
): Method<RequestMethod<Request, Reply>> {
  const { topic, pattern } = contract;
  return (target, key, descriptor) => {
    const route: RequestRoute = { topic, pattern, check: check ?? dtoCheck(payloadClass(target, key)), limits };
    Payload()(target, key, 0);
    Ctx()(target, key, 1);
    MessagePattern(`${topic} ${pattern}`, BUS_TRANSPORT, route)(target, key, descriptor);
    UseFilters(throwOn)(target, key, descriptor);
  };
}

/**
 * Follows the events of a contract as a named group, or in each instance. A method that rejects is given the same events again; an event
 * that the validators of its class refuse is reported and left out, since it would be refused for ever.
 */
export function OnEvents<Payload>(contract: EventContract<Payload>, group: FollowerGroup): Method<EventsMethod> {
  const { topic, pattern, classOf } = contract;
  const check: PayloadCheck = (payload) => dtoCheck(classOf(payload as Payload))(payload);
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
