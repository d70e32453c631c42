export {
  createDataSource,
  createPool,
  openDataSource,
  type DataSourceSettings,
  type PoolSettings,
} from './connections.js';
export { copyRunningCluster, type ClusterCopy, type ClusterCopyOptions } from './cluster-copy.js';
export { giveFolderToServer } from './cluster.js';
export { CopyRows } from './copy-rows.js';
export { runCopyScript } from './copy-script.js';
export {
  DATABASE_MODE_TABLE,
  alignDerivedModes,
  createDatabaseModeTable,
  dropDatabaseModeTable,
  requireDatabaseMode,
} from './database-mode.js';
export { DatabaseFailures, databaseFailures, isServing } from './database-failures.js';
export {
  embeddedAdminUrl,
  embeddedServerUrl,
  startEmbeddedPostgres,
  stopLeftServer,
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
} from './embedded-server.js';
export { copyWithDigest, digestOf, type FileDigest } from './file-digests.js';
export { GatheredLookUp } from './batch-loader.js';
export { Lease, createLeasesTable, dropLeasesTable, type LeaseOptions } from './lease.js';
export { Listener, type ListenerOptions } from './listener.js';
export { runDatabaseCommand } from './database-command.js';
export { runMigrateCommand } from './migrate-command.js';
export { OutboxPublisher, type OutboxPublisherOptions } from './outbox-publisher.js';
export { addToOutbox, createOutboxTable, dropOutboxTable, showOutbox } from './outbox.js';
export { bundledVersion } from './postgres-binaries.js';
export { readOrUnavailable } from './read-or-throw-unavailable.js';
export { keepSecret } from './secrets.js';
export { isServerAway } from './server-unavailable.js';
export { checkServer } from './server-check.js';
export {
  dropServiceDatabase,
  migrationsDatabaseUrl,
  prepareMigrationsRole,
  prepareServiceDatabase,
  serviceDatabaseUrl,
  type ServiceDatabase,
} from './service-database.js';
export { checkSchema, migrateSchema, type ServiceSchema } from './service-schema.js';
