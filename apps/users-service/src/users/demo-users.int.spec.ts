import { readSettings } from '@settle/config';
import { InMemoryBus } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { migrateSchema } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import { startUsersService } from '../start-users-service.js';
import { USERS_SCHEMA } from '../storage/users-schema.js';

const logger = createLogger({ level: 'silent', service: 'spec' });

let database: FreshDatabase;
beforeEach(async () => {
  database = await freshDatabase();
  await migrateSchema(USERS_SCHEMA, database.url);
});
afterEach(() => database.drop());

async function startAndStop(env: Record<string, string>): Promise<void> {
  const bus = new InMemoryBus({ logger });
  try {
    const settings = readSettings(env);
    await (await startUsersService({ settings, bus, logger, databaseUrl: database.url })).close();
  } finally {
    await bus.close();
  }
}

describe('production', () => {
  it('given a database that held the demo, when started in production, then it says what to do and nothing runs', async () => {
    await startAndStop({});
    const start = startAndStop({ NODE_ENV: 'production' });
    await expect(start).rejects.toThrow(/^NODE_ENV: .*take a new DATA_DIR or new databases/);
  });

  it('given a new database, when started in production, again and again, then it starts', async () => {
    for (let start = 0; start < 2; start += 1) await startAndStop({ NODE_ENV: 'production' });
  });
});
