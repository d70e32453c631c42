import { DATABASE_MODE_TABLE, OPERATOR_AUDIT_TABLES, type ServiceSchema } from '@settle/postgres';
import { LimitTrust1795560200000 } from './limit-trust.migration.js';
import { MarkDatabaseMode1795530000000 } from './mark-database-mode.migration.js';
import { AddDueAnnouncement1795310000000 } from './add-due-announcement.migration.js';
import { AddFriendRequests1795340000000 } from './add-friend-requests.migration.js';
import { AddFundingSourceDigits1795350000000 } from './add-funding-source-digits.migration.js';
import { AddRecordEpoch1795410000000 } from './add-record-epoch.migration.js';
import { CloseAccounts1795871000000 } from './close-accounts.migration.js';
import { CreateLeases1795420000000 } from './create-leases.migration.js';
import { CreatePeople1795200000000 } from './create-people.migration.js';
import { RecordOperatorActions1795760000000 } from './record-operator-actions.migration.js';
import { SeparateFoldedEmails1795510100000 } from './separate-folded-emails.migration.js';

export const USERS_SCHEMA: ServiceSchema = {
  service: 'users-service',
  migrations: [
    CreatePeople1795200000000,
    AddDueAnnouncement1795310000000,
    AddFriendRequests1795340000000,
    AddFundingSourceDigits1795350000000,
    AddRecordEpoch1795410000000,
    CreateLeases1795420000000,
    SeparateFoldedEmails1795510100000,
    MarkDatabaseMode1795530000000,
    LimitTrust1795560200000,
    RecordOperatorActions1795760000000,
    CloseAccounts1795871000000,
  ],
  appendOnlyTables: [DATABASE_MODE_TABLE, ...OPERATOR_AUDIT_TABLES],
};
