import { TOPICS } from '@settle/contracts';
import type { EventEnvelope, MessageBus, RequestEnvelope } from '../src/message-bus.js';

/**
 * A bus to be tested, as two parties see it: they may share an instance or sit in two processes. Handlers and
 * followers are registered first; `ready` resolves once what was registered can be reached.
 */
export interface BusUnderTest {
  readonly caller: MessageBus;
  readonly server: MessageBus;
  ready(): Promise<void>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;

export const ask = (pattern: string, payload: object, more: Partial<RequestEnvelope> = {}): RequestEnvelope => ({
  topic: TOPICS.paymentsCommands,
  pattern,
  key: 'alice',
  payload,
  requestId: `request-${pattern}`,
  timeoutMs: TIMEOUT_MS,
  ...more,
});

export const tell = (payload: object | null, key = 'alice'): EventEnvelope => ({
  topic: TOPICS.usersState,
  pattern: 'contract.told',
  key,
  payload,
});

export const errorOf = (promise: Promise<unknown>): Promise<unknown> => promise.then(fail, (error: unknown) => error);

function fail(): never {
  throw new Error('It should have been refused.');
}

/** Collects until `count` are there. */
export function collector<Item>(count: number) {
  const items: Item[] = [];
  let complete: (items: readonly Item[]) => void;
  const all = new Promise<readonly Item[]>((resolve) => (complete = resolve));
  const add = (...more: readonly Item[]): void => {
    items.push(...more);
    if (items.length >= count) complete(items);
  };
  return { add, all };
}
