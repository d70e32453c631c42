import { DEMO_USERS, getProfile, usersState, type UsersStateRecord } from '@settle/contracts';
import { readSettings } from '@settle/config';
import { InMemoryBus, MessageClient } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { createPool, migrateSchema } from '@settle/postgres';
import { eventually, freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import { startUsersService } from '../start-users-service.js';
import { USERS_SCHEMA } from '../storage/users-schema.js';

const logger = createLogger({ service: 'users-service', level: 'silent' });
const { alice, bob } = DEMO_USERS;

describe('the start of the service under a new public address', () => {
  let database: FreshDatabase;
  let pool: Pool;
  beforeEach(async () => {
    database = await freshDatabase();
    await migrateSchema(USERS_SCHEMA, database.url);
    pool = createPool(database.url, { max: 2, name: 'spec' });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const start = (bus: InMemoryBus, publicUrl: string) =>
    startUsersService({
      settings: readSettings({ PUBLIC_URL: publicUrl, ALLOW_DEMO_ON_NETWORK: 'true' }),
      bus,
      logger,
      databaseUrl: database.url,
    });

  it('given a reader that blocks the announcement, when the service starts, then it is ready and responds, and announces the rest later', async () => {
    const [firstBus, bus] = [new InMemoryBus({ logger }), new InMemoryBus({ logger })];
    await (await start(firstBus, 'http://localhost:3000')).close();
    await firstBus.close();
    const newest = new Map<string, UsersStateRecord>();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const begun = new Promise<void>((resolve) => {
      bus.consume(usersState.topic, usersState.pattern, 'spec', async (events) => {
        resolve();
        await released;
        for (const { key, payload } of events) newest.set(key, payload as UsersStateRecord);
      });
    });
    const service = await start(bus, 'https://pay.example.com');
    await begun;
    await service.checks['postgres']?.();
    const request = { userId: bob.id, viewerId: alice.id };
    const profile = await new MessageClient(bus).request(getProfile, request, { key: alice.id, timeoutMs: 3_000 });
    const due = await pool.query('select from due_announcement');
    expect([profile.username, due.rowCount, newest.size]).toEqual(['bob', 1, 0]);
    release();
    const card = { profilePictureUrl: 'https://pay.example.com/pictures/BB.svg' };
    await eventually(() => expect(newest.get(`user:${bob.id}`)).toMatchObject({ card }));
    await service.close();
    await bus.close();
  });
});
