import { LIMITS } from '@settle/config';

/** The bounds of an event store; specs make some of them small. */
export type EventStoreLimits = { readonly [Name in keyof typeof LIMITS.eventStore]: number };

export const EVENT_STORE_LIMITS: EventStoreLimits = LIMITS.eventStore;

/** Bounds of the EventStoreDB adapter beside those of every event store. */
export type EventStoreDbLimits = EventStoreLimits & { readonly [Name in keyof typeof LIMITS.eventStoreDb]: number };

export const EVENT_STORE_DB_LIMITS: EventStoreDbLimits = { ...LIMITS.eventStore, ...LIMITS.eventStoreDb };
