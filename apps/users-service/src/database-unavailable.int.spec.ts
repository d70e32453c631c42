import { DEMO_USERS } from '@settle/contracts';
import { createPool, migrateSchema } from '@settle/postgres';
import { freshDatabase } from '@settle/testing';
import { UserQueries } from './users/user-queries.js';
import { USERS_SCHEMA } from './storage/users-schema.js';
import { UsersController } from './users/users.controller.js';

describe('a database that is away for a while', () => {
  it('given it, when people are asked for, then they may be asked for again, and then there is an answer', async () => {
    const database = await freshDatabase();
    await migrateSchema(USERS_SCHEMA, database.url);
    const pool = createPool(database.url, { max: 1, name: 'away-spec' });
    const controller = new UsersController(new UserQueries(pool, 'http://localhost:3000', 'everyone'));
    const userId = DEMO_USERS.alice.id;
    const profile = () => controller.profile({ userId, viewerId: userId });
    const friends = () => controller.friends({ userId, limit: 1, after: null, before: null });
    await expect(profile()).rejects.toMatchObject({ code: 'resource_not_found' });
    await database.disconnect();
    await expect(profile()).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(friends()).rejects.toMatchObject({ code: 'service_unavailable' });
    await database.reconnect();
    await expect(friends()).rejects.toMatchObject({ code: 'resource_not_found' });
    await pool.end();
    await database.drop();
  });
});
