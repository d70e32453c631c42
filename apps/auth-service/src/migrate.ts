import { runMigrateCommand } from '@settle/postgres';
import { AUTH_SCHEMA } from './auth-schema.js';

await runMigrateCommand(AUTH_SCHEMA);
