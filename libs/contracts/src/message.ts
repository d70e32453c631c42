import type { Topic } from './topics.js';

/** A request that one service sends another: where it goes, and the types of question and answer. */
export interface RequestContract<Request, Reply> {
  readonly pattern: string;
  readonly topic: Topic;
  /** Never set: carries the two types. */
  readonly types?: { readonly request: Request; readonly reply: Reply };
}

export function requestContract<Request, Reply>(topic: Topic, pattern: string): RequestContract<Request, Reply> {
  return { topic, pattern };
}

/** An event that one service tells the others: where it goes, and the type of its payload. */
export interface EventContract<Payload> {
  readonly pattern: string;
  readonly topic: Topic;
  /** Never set: carries the type. */
  readonly types?: { readonly payload: Payload };
}

export function eventContract<Payload>(topic: Topic, pattern: string): EventContract<Payload> {
  return { topic, pattern };
}
