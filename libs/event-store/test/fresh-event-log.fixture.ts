import { freshDatabase, type FreshDatabase } from '@settle/testing';
import pg from 'pg';
import { migrateEventLog } from '../src/event-log.migration.js';

/** Creates a database with an empty event log. */
export async function freshEventLog(): Promise<FreshDatabase> {
  const database = await freshDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  await migrateEventLog(client);
  await client.end();
  return database;
}
