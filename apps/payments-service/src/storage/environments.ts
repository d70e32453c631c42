import type { Environment } from '@settle/contracts';
import { PrefixedEventStore, PrefixedLog, type EventStore, type ReadableLog } from '@settle/event-store';
import { SANDBOX_OPENING_CENTS } from '@settle/payments-domain';
import { LEDGER_PREFIXES } from './streams.js';

/** Streams, tables and channel of an environment. No other code in this service names them. */
export interface EnvironmentStorage {
  /** Prefix of the names of its streams. */
  readonly streamPrefix: string;
  /** Schema of its tables; the only one in its pools' search path. */
  readonly schema: string;
  /** Channel on which instances notify each other of the position of its read models. */
  readonly progressChannel: string;
  /** Balance of a new wallet. */
  readonly openingCents: number;
}

export const ENVIRONMENT_STORAGE: Readonly<Record<Environment, EnvironmentStorage>> = {
  live: { streamPrefix: '', schema: 'public', progressChannel: 'settle_projected', openingCents: 0 },
  sandbox: {
    streamPrefix: 'sandbox-',
    schema: 'sandbox',
    progressChannel: 'settle_sandbox_projected',
    openingCents: SANDBOX_OPENING_CENTS,
  },
};

/** Prefixes of the streams of all ledgers. */
export const LEDGERS_PREFIXES: readonly string[] = Object.values(ENVIRONMENT_STORAGE).flatMap(({ streamPrefix }) =>
  LEDGER_PREFIXES.map((prefix) => streamPrefix + prefix),
);

/** Returns a store that reaches the streams of this environment only. */
export function storeOf(environment: Environment, store: EventStore): EventStore {
  const { streamPrefix } = ENVIRONMENT_STORAGE[environment];
  return streamPrefix === '' ? store : new PrefixedEventStore(streamPrefix, store);
}

/** Returns a log that reaches the streams of this environment only. */
export function logOf(environment: Environment, log: ReadableLog): ReadableLog {
  const { streamPrefix } = ENVIRONMENT_STORAGE[environment];
  return streamPrefix === '' ? log : new PrefixedLog(streamPrefix, log);
}
