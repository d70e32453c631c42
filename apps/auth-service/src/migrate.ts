import { runMigrateCommand } from '@settle/postgres';
import { AUTH_SCHEMA } from './tables/auth-schema.js';

await runMigrateCommand(AUTH_SCHEMA);
