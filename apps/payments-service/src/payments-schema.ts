import { EVENTS_TABLE, migrateEventLog } from '@settle/event-store';
import { DATABASE_MODE_TABLE, type ServiceSchema } from '@settle/postgres';
import { READ_MODELS } from './read-models/registry.js';
import { VersionCheckpoints1795580000000 } from './storage/migrations/version-checkpoints.migration.js';
import { MarkDatabaseMode1795530000000 } from './storage/migrations/mark-database-mode.migration.js';
import { CreateSandbox1795350000000 } from './storage/migrations/create-sandbox.migration.js';
import { CreateProviderChanges1795720020000 } from './storage/migrations/create-provider-changes.migration.js';
import { MarkProviderMode1795720010000 } from './storage/migrations/mark-provider-mode.migration.js';
import { PROVIDER_MODE_TABLE } from './provider/provider-mode.js';
import { CreateProviderHints1795720000000 } from './storage/migrations/create-provider-hints.migration.js';
import { CreateFundingSources1795730000000 } from './storage/migrations/create-funding-sources.migration.js';
import { CreateDataKeys1795870000000 } from './storage/migrations/create-data-keys.migration.js';
import {
  IndexFundingNotices1795880010000,
  QueueFundingNotices1795880000000,
} from './storage/migrations/queue-funding-notices.migration.js';
import { RecordSourceMoney1795731000000 } from './storage/migrations/record-source-money.migration.js';
import { CreateIdempotencyKeys1795320000000 } from './storage/migrations/create-idempotency-keys.migration.js';
import { NameSandboxIndexes1795360000000 } from './storage/migrations/name-sandbox-indexes.migration.js';
import { dropOrphanedSchemas } from './operators/orphaned-schemas.js';
import { NamePeopleCopy1795310000000 } from './storage/migrations/name-people-copy.migration.js';
import { ResolveOwnAddressInSandbox1795890000000 } from './storage/migrations/resolve-own-address-in-sandbox.migration.js';
import { ResolveFriendsInSandbox1795540100000 } from './storage/migrations/resolve-friends-in-sandbox.migration.js';
import { CreateReadModels1795250000000 } from './storage/migrations/create-read-models.migration.js';
import { FenceProjections1795300000000 } from './storage/migrations/fence-projections.migration.js';
import { IndexLists1795340000000 } from './storage/migrations/index-lists.migration.js';
import { KeepApps1795560000000 } from './storage/migrations/keep-apps.migration.js';
import { CreateFunding1795710000000 } from './storage/migrations/create-funding.migration.js';
import { IndexWaitingFunding1795750000000 } from './storage/migrations/index-waiting-funding.migration.js';
import { KeepFundingKeys1795700000000 } from './storage/migrations/keep-funding-keys.migration.js';
import { KeepCheckpointEvents1795445000000 } from './storage/migrations/keep-checkpoint-events.migration.js';
import { RekeyFoldedEmails1795510200000 } from './storage/migrations/rekey-folded-emails.migration.js';
import { SeparateCheckpointPositions1795430000000 } from './storage/migrations/separate-checkpoint-positions.migration.js';
import { CreatePublicEventEpoch1795410000000 } from './storage/migrations/create-public-event-epoch.migration.js';
import { FillLedgerEntries1795820000000 } from './storage/migrations/fill-ledger-entries.migration.js';
import { QueueUserStatuses1795840000000 } from './storage/migrations/queue-user-statuses.migration.js';
import { IndexUnclaimedPayees1795540000000 } from './storage/migrations/index-unclaimed-payees.migration.js';

/** The tables of payments-service: read models and related tables by TypeORM, the event log by its library. */
export const PAYMENTS_SCHEMA: ServiceSchema = {
  service: 'payments-service',
  migrations: [
    CreateReadModels1795250000000,
    FenceProjections1795300000000,
    NamePeopleCopy1795310000000,
    CreateIdempotencyKeys1795320000000,
    IndexLists1795340000000,
    CreateSandbox1795350000000,
    NameSandboxIndexes1795360000000,
    CreatePublicEventEpoch1795410000000,
    SeparateCheckpointPositions1795430000000,
    KeepCheckpointEvents1795445000000,
    RekeyFoldedEmails1795510200000,
    IndexUnclaimedPayees1795540000000,
    ResolveFriendsInSandbox1795540100000,
    MarkDatabaseMode1795530000000,
    KeepApps1795560000000,
    VersionCheckpoints1795580000000,
    KeepFundingKeys1795700000000,
    CreateFunding1795710000000,
    CreateProviderHints1795720000000,
    MarkProviderMode1795720010000,
    CreateProviderChanges1795720020000,
    CreateFundingSources1795730000000,
    RecordSourceMoney1795731000000,
    IndexWaitingFunding1795750000000,
    FillLedgerEntries1795820000000,
    QueueUserStatuses1795840000000,
    CreateDataKeys1795870000000,
    QueueFundingNotices1795880000000,
    IndexFundingNotices1795880010000,
    ResolveOwnAddressInSandbox1795890000000,
    ...READ_MODELS.flatMap(({ migrations }) => migrations),
  ],
  // Not even the service that writes the ledger can change stored events.
  appendOnlyTables: [EVENTS_TABLE, DATABASE_MODE_TABLE, PROVIDER_MODE_TABLE],
  afterMigrations: async (session) => {
    await migrateEventLog(session);
    await dropOrphanedSchemas(session);
  },
};
