import { migrateSchema, openDataSource } from '@settle/postgres';
import type { DataSource } from 'typeorm';
import { createUsersDataSource } from '../src/start-users-service.js';
import { USERS_SCHEMA } from '../src/storage/users-schema.js';

/** Makes the tables of users-service in a database and connects to them. */
export async function openUsersTables(url: string): Promise<DataSource> {
  await migrateSchema(USERS_SCHEMA, url);
  return openDataSource(createUsersDataSource(url));
}
