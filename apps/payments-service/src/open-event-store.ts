import type { Settings } from '@settle/config';
import { EventStoreDbEventStore, PostgresEventStore, type EventStore } from '@settle/event-store';
import type { Metrics } from '@settle/observability';

export interface EventStorePlace {
  readonly settings: Pick<Settings, 'eventStore'>;
  readonly databaseUrl: string;
  /** Other processes append to it as well. */
  readonly isShared: boolean;
  readonly metrics?: Metrics | undefined;
}

/** Opens the event store that the settings name. Errors: it cannot be reached. */
export function openEventStore({ settings, databaseUrl, isShared, metrics }: EventStorePlace): Promise<EventStore> {
  const { eventStore } = settings;
  if (eventStore.kind === 'eventstoredb') return EventStoreDbEventStore.open({ url: eventStore.url, metrics });
  return PostgresEventStore.open({ url: databaseUrl, isShared, metrics });
}
