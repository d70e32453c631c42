import type { ServiceSchema } from '@settle/postgres';
import { CreateBooks1795500000000 } from './create-books.migration.js';

/** The tables of the reference provider. */
export const PROVIDER_SCHEMA: ServiceSchema = {
  service: 'reference-provider',
  migrations: [CreateBooks1795500000000],
  // An answer that was given once is never taken back.
  appendOnlyTables: ['changes', 'bookings', 'refused_keys'],
};
