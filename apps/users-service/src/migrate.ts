import { runMigrateCommand } from '@settle/postgres';
import { USERS_SCHEMA } from './users-schema.js';

await runMigrateCommand(USERS_SCHEMA);
