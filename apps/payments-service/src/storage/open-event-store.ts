import type { Settings } from '@settle/config';
import { openEventStoreDb, PostgresEventStore, type EventStore, type LogRegression } from '@settle/event-store';
import type { Metrics } from '@settle/observability';
import { LEDGERS_PREFIXES } from './environments.js';
import { USER_PREFIXES } from './streams.js';

export interface EventStoreOptions {
  readonly settings: Pick<Settings, 'eventStore'>;
  readonly databaseUrl: string;
  /** Other processes append to it, too. */
  readonly isShared: boolean;
  /** Several subscriptions of this process follow the ledgers. */
  readonly followsLedgers?: boolean;
  readonly metrics?: Metrics | undefined;
  /** Called once if the log has lost events that this process has seen: the process must end. */
  readonly onLost?: ((error: LogRegression) => void) | undefined;
}

/** Opens the event store of the settings. Error: it is unavailable. */
export function openEventStore(options: EventStoreOptions): Promise<EventStore> {
  const { databaseUrl, isShared, followsLedgers = false, metrics, onLost, settings } = options;
  const { eventStore } = settings;
  if (eventStore.kind === 'eventstoredb') {
    const sharedPrefixes = followsLedgers ? [...LEDGERS_PREFIXES, ...USER_PREFIXES] : [];
    return openEventStoreDb({ url: eventStore.url, sharedPrefixes, metrics, onLost });
  }
  return PostgresEventStore.open({ url: databaseUrl, isShared, metrics, onLost });
}
