import { LIMITS } from '@settle/config';
import type { Metrics } from '@settle/observability';
import type { LogRegression } from './log-continuity.js';

/** The limits of an event store. */
export type EventStoreLimits = { readonly [Name in keyof typeof LIMITS.eventStore]: number };

export const EVENT_STORE_LIMITS: EventStoreLimits = LIMITS.eventStore;

/** The limits of the EventStoreDB adapter. */
export type EventStoreDbLimits = EventStoreLimits & { readonly [Name in keyof typeof LIMITS.eventStoreDb]: number };

export const EVENT_STORE_DB_LIMITS: EventStoreDbLimits = { ...LIMITS.eventStore, ...LIMITS.eventStoreDb };

/** Options of a store on a server. */
export interface EventStoreOptions<Limits> {
  readonly url: string;
  /** Absent: the store has no metrics. */
  readonly metrics?: Metrics | undefined;
  /** Called once, when a new connection shows that the log has lost events that this process has seen. The store then fails. */
  readonly onLost?: ((error: LogRegression) => void) | undefined;
  /** Overrides of the default limits. */
  readonly limits?: Partial<Limits>;
}

/** Options of a store in EventStoreDB. */
export interface EventStoreDbOptions extends EventStoreOptions<EventStoreDbLimits> {
  /**
   * Prefixes of the streams that several subscriptions of this process follow. One subscription of the server feeds all
   * that want no other streams. Absent: each has its own.
   */
  readonly sharedPrefixes?: readonly string[] | undefined;
}
