import { runDatabaseCommand } from '@settle/postgres';
import { raiseRecordEpoch } from './announcements/record-epoch.js';

/*
 * `node dist/raise-epoch.js`, once after each restore of the database of users-service and before it starts: prints the
 * epoch that its records carry from now on. Settings: those of users-service.
 */
await runDatabaseCommand('raise-epoch', raiseRecordEpoch);
