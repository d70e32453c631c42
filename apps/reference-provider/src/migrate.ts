import { runMigrateCommand } from '@settle/postgres';
import { PROVIDER_SCHEMA } from './storage/provider-schema.js';

await runMigrateCommand(PROVIDER_SCHEMA);
