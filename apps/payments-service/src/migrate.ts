import { runMigrateCommand } from '@settle/postgres';
import { PAYMENTS_SCHEMA } from './payments-schema.js';

await runMigrateCommand(PAYMENTS_SCHEMA);
