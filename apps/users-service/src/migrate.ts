import { runMigrateCommand } from '@settle/postgres';
import { USERS_SCHEMA } from './storage/users-schema.js';

await runMigrateCommand(USERS_SCHEMA);
