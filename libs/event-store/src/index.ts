export { EVENTS_TABLE, migrateEventLog } from './event-log.migration.js';
export {
  AppendOutcomeUnknown,
  NO_STREAM,
  RevisionConflict,
  START,
  StoreUnavailable,
  type AppendResult,
  type AppendUnit,
  type EventStore,
  type NewEvent,
  type ReadOptions,
  type StoredEvent,
  type StreamAppend,
  type SubscribeOptions,
  type Subscription,
} from './event-store.js';
export { openEventStoreDb } from './open-eventstoredb.js';
export { executeCommand, type Command } from './execute-command.js';
export { InMemoryEventStore } from './in-memory-event-store.js';
export { EVENT_STORE_LIMITS } from './limits.js';
export { PrefixedEventStore, PrefixedLog, type ReadableLog } from './prefixed-event-store.js';
export { PostgresEventStore } from './postgres-event-store.js';
export { LogRegression } from './log-continuity.js';
