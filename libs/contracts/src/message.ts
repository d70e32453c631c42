import type { Topic } from './topics.js';

/** A request that one service sends another: where it goes, and the types of question and answer. */
export interface RequestContract<Request, Reply> {
  readonly pattern: string;
  readonly topic: Topic;
  /** Never set: carries the two types. */
  readonly types?: { readonly request: Request; readonly reply: Reply };
}

/** Names a request. `pattern` is unique within the topic. */
export function requestContract<Request, Reply>(topic: Topic, pattern: string): RequestContract<Request, Reply> {
  return { topic, pattern };
}

/** A class whose class-validator decorators say what a payload must be. */
export type PayloadClass = new () => object;

/** An event that one service tells the others: where it goes, and what its payload is. */
export interface EventContract<Payload> {
  readonly pattern: string;
  readonly topic: Topic;
  /** The class whose validators a payload must pass. */
  readonly classOf: (payload: Payload) => PayloadClass;
}

/** Names an event. `pattern` is unique within the topic. */
export function eventContract<Payload>(
  topic: Topic,
  pattern: string,
  classOf: EventContract<Payload>['classOf'],
): EventContract<Payload> {
  return { topic, pattern, classOf };
}
