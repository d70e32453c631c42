import { createPool } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { UserQueries } from './user-queries.js';
import { Users } from './users.js';
import { openUsersTables } from '../../test/users-tables.fixture.js';

const PUBLIC_URL = 'http://localhost:3000';

let database: FreshDatabase;
let dataSource: DataSource;
let pool: Pool;
let people: Users;
let queries: UserQueries;

beforeAll(async () => {
  database = await freshDatabase();
  dataSource = await openUsersTables(database.url);
  pool = createPool(database.url, { max: 4, name: 'blocked-readers-spec' });
  people = new Users(dataSource.manager, PUBLIC_URL);
  queries = new UserQueries(pool, PUBLIC_URL, 'everyone');
});

beforeEach(async () => {
  await dataSource.query('truncate users, proven_addresses, pairs, friend_requests, outbox restart identity');
});

afterAll(async () => {
  await pool.end();
  await dataSource.destroy();
  await database.drop();
});

async function createUser(username: string, id: string): Promise<void> {
  const names = { firstName: username, lastName: 'Test' };
  await people.createUser({ id, username, ...names, email: null, phone: null, joinedAtUs: 1_700_000_000_123_456 });
}

describe.each(['the smaller', 'the greater'])('given a user who has blocked another, with %s id', (side) => {
  // Shows user-14
  it('when they read each other, then the blocked user finds no one, and the other everything', async () => {
    const ids = ['1000000000000000001', '1000000000000000002'];
    const [userId, blockedId] = (side === 'the smaller' ? ids : ids.toReversed()) as [string, string];
    const friendId = '1000000000000000003';
    for (const id of [userId, blockedId, friendId]) await createUser(`p${id.at(-1)}`, id);
    for (const id of [userId, blockedId]) await people.befriend(id, friendId);
    await people.setBlock({ userId, otherId: blockedId, blocks: true });
    const page = { limit: 20, after: null, before: null };
    const notFound = { code: 'resource_not_found', message: 'There is no user with this id.' };
    await expect(queries.profile({ userId, viewerId: blockedId })).rejects.toMatchObject(notFound);
    await expect(queries.friends({ userId, viewerId: blockedId, ...page })).rejects.toMatchObject(notFound);
    expect((await queries.profile({ userId: blockedId, viewerId: userId })).id).toBe(blockedId);
    for (const [of, viewerId] of [
      [blockedId, userId],
      [userId, friendId],
      [userId, null],
    ] as const) {
      expect((await queries.friends({ userId: of, viewerId, ...page })).friends.map(({ id }) => id)).toEqual([
        friendId,
      ]);
    }
    await people.setBlock({ userId, otherId: blockedId, blocks: false });
    expect((await queries.profile({ userId, viewerId: blockedId })).id).toBe(userId);
  });
});
