import type { Environment } from '@settle/contracts';
import { PrefixedEventStore, PrefixedLog, type EventStore, type ReadableLog } from '@settle/event-store';
import { SANDBOX_OPENING_CENTS } from '@settle/payments-domain';

/** Where the money of an environment is. Nothing else in this service names its streams, its tables or its channel. */
export interface LedgerPlace {
  /** Begins the name of each of its streams. */
  readonly streamPrefix: string;
  /** Holds its tables, and is all that its pools find. */
  readonly schema: string;
  /** On which instances tell each other how far its read models have come. */
  readonly progressChannel: string;
  /** What a wallet opens with. */
  readonly openingCents: number;
}

export const LEDGER_PLACES: Readonly<Record<Environment, LedgerPlace>> = {
  live: { streamPrefix: '', schema: 'public', progressChannel: 'settle_projected', openingCents: 0 },
  sandbox: {
    streamPrefix: 'sandbox-',
    schema: 'sandbox',
    progressChannel: 'settle_sandbox_projected',
    openingCents: SANDBOX_OPENING_CENTS,
  },
};

/** The streams of an environment: of whoever is given this, nobody can reach the other's. */
export function storeIn(environment: Environment, store: EventStore): EventStore {
  const { streamPrefix } = LEDGER_PLACES[environment];
  return streamPrefix === '' ? store : new PrefixedEventStore(streamPrefix, store);
}

/** As `storeIn`, of a log that is only read. */
export function logIn(environment: Environment, log: ReadableLog): ReadableLog {
  const { streamPrefix } = LEDGER_PLACES[environment];
  return streamPrefix === '' ? log : new PrefixedLog(streamPrefix, log);
}
