import { runMigrateCommand } from '@settle/postgres';
import { PAYMENTS_SCHEMA } from './storage/payments-schema.js';

await runMigrateCommand(PAYMENTS_SCHEMA);
