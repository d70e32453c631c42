import type { Settings } from '@settle/config';
import { EventStoreDbEventStore, PostgresEventStore, type EventStore, type LogWentBack } from '@settle/event-store';
import type { Metrics } from '@settle/observability';

export interface EventStorePlace {
  readonly settings: Pick<Settings, 'eventStore'>;
  readonly databaseUrl: string;
  /** Other processes append to it as well. */
  readonly isShared: boolean;
  readonly metrics?: Metrics | undefined;
  /** Called once, when the log has lost what this process has seen: the process must end. */
  readonly onLost?: ((error: LogWentBack) => void) | undefined;
}

/** Opens the event store that the settings name. Errors: it cannot be reached. */
export function openEventStore(place: EventStorePlace): Promise<EventStore> {
  const { databaseUrl, isShared, metrics, onLost } = place;
  const { eventStore } = place.settings;
  if (eventStore.kind === 'eventstoredb') return EventStoreDbEventStore.open({ url: eventStore.url, metrics, onLost });
  return PostgresEventStore.open({ url: databaseUrl, isShared, metrics, onLost });
}
