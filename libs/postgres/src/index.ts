export {
  createDataSource,
  createPool,
  openDataSource,
  type DataSourceSettings,
  type PoolSettings,
} from './connections.js';
export { CopyRows } from './copy-rows.js';
export { runCopyScript } from './copy-script.js';
export {
  embeddedServerUrl,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded-server.js';
export { GatheredLookUp } from './gathered-look-up.js';
export { Lease, createLeasesTable, dropLeasesTable, type LeaseOptions } from './lease.js';
export { Listener, type ListenerOptions } from './listener.js';
export { OutboxPublisher, type OutboxPublisherOptions } from './outbox-publisher.js';
export { addToOutbox, createOutboxTable, dropOutboxTable, showOutbox } from './outbox.js';
export { keepSecret } from './secrets.js';
export { isServerAway, readOrUnavailable } from './server-away.js';
export { checkServer } from './server-check.js';
export {
  dropServiceDatabase,
  prepareServiceDatabase,
  serviceDatabaseUrl,
  type ServiceDatabase,
} from './service-database.js';
