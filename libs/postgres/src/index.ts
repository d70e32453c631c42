export { createDataSource, createPool, openDataSource } from './connections.js';
export { copyRunningCluster } from './cluster-copy.js';
export { changeFolderOwnerToServer } from './cluster.js';
export { CopyRows } from './copy-rows.js';
export { runCopyScript } from './copy-script.js';
export {
  DATABASE_MODE_TABLE,
  alignDerivedModes,
  createDatabaseModeTable,
  dropDatabaseModeTable,
  requireDatabaseMode,
} from './database-mode.js';
export { createDatabaseCheck, databaseFailures, isDatabaseReady, readOrThrowUnavailable } from './database-failures.js';
export {
  readEmbeddedAdminUrl,
  readEmbeddedServerUrl,
  startEmbeddedPostgres,
  stopOrphanedServer,
  type EmbeddedPostgres,
} from './embedded-server.js';
export { copyWithDigest, computeDigest, type FileDigest } from './file-digests.js';
export { inTransaction } from './in-transaction.js';
export { Lease, createLeasesTable, dropLeasesTable } from './lease.js';
export { Listener } from './listener.js';
export { runDatabaseCommand } from './database-command.js';
export { runMigrateCommand } from './migrate-command.js';
export { OutboxPublisher } from './outbox-publisher.js';
export { addToOutbox, createOutboxTable, dropOutboxTable, registerOutboxMetrics } from './outbox.js';
export {
  OPERATOR_AUDIT_TABLES,
  createOperatorAuditTables,
  dropOperatorAuditTables,
  formatAudit,
  runAudited,
  type OperatorAction,
} from './operator-audit.js';
export { getBundledPostgresVersion, locateBundledPrograms } from './postgres-binaries.js';
export { getOrCreateSecret } from './secrets.js';
export { isServerUnavailable } from './server-unavailable.js';
export { checkServer } from './server-check.js';
export {
  dropServiceDatabase,
  buildMigrationsDatabaseUrl,
  prepareMigrationsRole,
  prepareServiceDatabase,
  buildServiceDatabaseUrl,
} from './service-database.js';
export { checkSchema, migrateSchema, type ServiceSchema } from './service-schema.js';
