import { randomId } from '@settle/contracts';
import { migrateSchema, openDataSource } from '@settle/postgres';
import type { DataSource } from 'typeorm';
import { createUsersDataSource } from '../src/start-users-service.js';
import { USERS_SCHEMA } from '../src/storage/users-schema.js';
import type { Users } from '../src/users/users.js';

/** Makes the tables of users-service in a database and connects to them. */
export async function openUsersTables(url: string): Promise<DataSource> {
  await migrateSchema(USERS_SCHEMA, url);
  return openDataSource(createUsersDataSource(url));
}

/** Stores a user with this username, without addresses, and returns the user's id. */
export async function storeUser(users: Users, username: string, id = randomId(Date.now())): Promise<string> {
  const names = { firstName: username, lastName: 'Test' };
  await users.createUser({ id, username, ...names, email: null, phone: null, joinedAtUs: 1_700_000_000_123_456 });
  return id;
}
