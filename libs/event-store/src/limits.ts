import { LIMITS } from '@settle/config';

/** The limits of an event store. */
export type EventStoreLimits = { readonly [Name in keyof typeof LIMITS.eventStore]: number };

export const EVENT_STORE_LIMITS: EventStoreLimits = LIMITS.eventStore;

/** The limits of the EventStoreDB adapter. */
export type EventStoreDbLimits = EventStoreLimits & { readonly [Name in keyof typeof LIMITS.eventStoreDb]: number };

export const EVENT_STORE_DB_LIMITS: EventStoreDbLimits = { ...LIMITS.eventStore, ...LIMITS.eventStoreDb };
