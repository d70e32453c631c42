import { DEMO_USERS, randomId, type UserRecord, type UsersStateRecord } from '@settle/contracts';
import { createPool } from '@settle/postgres';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { seedDemoUsers } from './demo-users.js';
import { FRIENDS, UsersController } from './users.controller.js';
import { Users } from './users.js';
import { openUsersTables, storeUser } from '../../test/users-tables.fixture.js';

const PUBLIC_URL = 'http://localhost:3000';
const { alice, bob, carol } = DEMO_USERS;

let database: FreshDatabase;
let dataSource: DataSource;
let pool: Pool;
let users: Users;
let queries: UsersController;

beforeAll(async () => {
  database = await freshDatabase();
  dataSource = await openUsersTables(database.url);
  pool = createPool(database.url, { max: 4, name: 'users-spec' });
  users = new Users(dataSource.manager, PUBLIC_URL);
  queries = new UsersController(pool, { publicUrl: PUBLIC_URL, contactVisibility: 'everyone' });
});

beforeEach(async () => {
  await dataSource.query('truncate users, proven_addresses, pairs, friend_requests, outbox restart identity');
});

afterAll(async () => {
  await pool.end();
  await dataSource.destroy();
  await database.drop();
});

/** Returns the unpublished records, oldest first. */
async function announced(): Promise<UsersStateRecord[]> {
  const rows = await dataSource.query<{ payload: UsersStateRecord }[]>('select payload from outbox order by id');
  return rows.map(({ payload }) => payload);
}

const addUser = (username: string, id?: string) => storeUser(users, username, id);

describe('given the demo users', () => {
  beforeEach(() => seedDemoUsers(dataSource, PUBLIC_URL));

  it('when they are read, then each has a picture, addresses and a number of friends', async () => {
    expect(await queries.profile({ userId: alice.id, viewerId: alice.id })).toEqual({
      id: alice.id,
      username: 'alice',
      firstName: 'Alice',
      lastName: 'Archer',
      displayName: 'Alice Archer',
      about: 'Pays for the coffee.',
      profilePictureUrl: 'http://localhost:3000/pictures/AA.svg',
      dateJoinedUs: expect.any(Number),
      email: 'alice@example.com',
      phone: '+14155550101',
      isFriend: null,
      friendsCount: 1,
    });
    expect(await queries.profile({ userId: carol.id, viewerId: alice.id })).toMatchObject({
      about: '',
      isFriend: false,
      friendsCount: 0,
    });
  });

  it('when a user reads a friend, then isFriend is true for both', async () => {
    expect((await queries.profile({ userId: bob.id, viewerId: alice.id })).isFriend).toBe(true);
    expect((await queries.profile({ userId: alice.id, viewerId: bob.id })).isFriend).toBe(true);
  });

  it.each([
    ['everyone', true, true],
    ['friends', true, false],
    // Shows user-15
    ['self', false, false],
  ] as const)(
    'when contacts are for %s, then friends see them: %s, strangers: %s',
    async (visibility, friend, stranger) => {
      const narrowed = new UsersController(pool, { publicUrl: PUBLIC_URL, contactVisibility: visibility });
      const contactSeenBy = async (viewerId: string) => {
        const { email, phone } = await narrowed.profile({ userId: alice.id, viewerId });
        expect((email === null) === (phone === null)).toBe(true);
        return email !== null;
      };
      expect(await contactSeenBy(alice.id)).toBe(true);
      expect(await contactSeenBy(bob.id)).toBe(friend);
      expect(await contactSeenBy(carol.id)).toBe(stranger);
    },
  );

  it('when they are seeded again, then nothing changes, not even trust that was withdrawn since', async () => {
    await users.setTrust({ userId: bob.id, friendId: alice.id, trusts: false });
    const before = await announced();
    await seedDemoUsers(dataSource, PUBLIC_URL);
    expect(await announced()).toEqual(before);
  });

  it('when the newest records are read, then they contain all that payments-service needs', async () => {
    const newest = new Map(
      (await announced()).map((record) => [record.kind === 'user' ? record.card.id : 'pair', record]),
    );
    expect(newest.get(alice.id)).toMatchObject({
      defaultAudience: 'private',
      fundingSourceId: 'demo-card-alice',
      isFrozen: false,
      addresses: [
        { kind: 'email', value: 'alice@example.com' },
        { kind: 'phone', value: '+14155550101' },
      ],
    });
    expect(newest.get('pair')).toMatchObject({
      areFriends: true,
      low: alice.id,
      high: bob.id,
      lowTrustsHigh: false,
      highTrustsLow: true,
    });
  });
});

describe('given users', () => {
  it('when an id is unknown, then reading and changing it is refused', async () => {
    const unknown = randomId(Date.now());
    const refused = expect.objectContaining({ code: 'resource_not_found' });
    const known = await addUser('known');
    await expect(queries.profile({ userId: unknown, viewerId: known })).rejects.toEqual(refused);
    await expect(queries.profile({ userId: '7', viewerId: known })).rejects.toEqual(refused);
    await expect(queries.friends({ userId: unknown, limit: 5, after: null, before: null })).rejects.toEqual(refused);
    await expect(users.changeUser(unknown, { isFrozen: true })).rejects.toEqual(refused);
    await expect(users.befriend(unknown, known)).rejects.toEqual(refused);
  });

  it('when a username is taken in another case, then it is refused and nothing is published', async () => {
    await addUser('Dora');
    await expect(addUser('dORA')).rejects.toMatchObject({ code: 'invalid_request' });
    expect(await announced()).toHaveLength(1);
  });

  it('when another user verifies an address later, then only that user has it and both records say so', async () => {
    const [first, second] = [await addUser('first'), await addUser('second')];
    const verification = { kind: 'email', address: 'One@Example.com' } as const;
    await users.verifyAddress({ ...verification, userId: first, provenAtUs: 10 });
    await users.verifyAddress({ ...verification, userId: second, provenAtUs: 20 });
    await users.verifyAddress({ ...verification, userId: first, provenAtUs: 15 });
    const records = (await announced()) as UserRecord[];
    const addressesOf = (id: string) => records.findLast(({ card }) => card.id === id)?.addresses;
    expect(addressesOf(first)).toEqual([]);
    expect(addressesOf(second)).toEqual([{ kind: 'email', value: 'one@example.com', provenAtUs: 20 }]);
    expect(records).toHaveLength(5);
  });

  it('when two users verify each other’s addresses at once, then each address has one owner and the versions increase', async () => {
    const [first, second] = [await addUser('first'), await addUser('second')];
    const addresses = ['a@example.com', 'b@example.com'];
    const verifications = Array.from({ length: 20 }, (_, index) => ({
      userId: index % 2 ? first : second,
      kind: 'email' as const,
      address: addresses[(index >> 1) % 2] ?? '',
      provenAtUs: 100 + index,
    }));
    await Promise.all(verifications.map((verification) => users.verifyAddress(verification)));
    const records = (await announced()) as UserRecord[];
    for (const id of [first, second]) {
      const versions = records.filter(({ card }) => card.id === id).map(({ version }) => version);
      expect(versions).toEqual(versions.map((_, index) => index + 1));
    }
    const newest = [first, second].map((id) => records.findLast(({ card }) => card.id === id));
    expect(
      newest
        .flatMap((record) => record?.addresses ?? [])
        .map(({ value }) => value)
        .toSorted(),
    ).toEqual(addresses);
  });

  it('when two users become friends at once, then there is one pair of version 1', async () => {
    const [first, second] = [await addUser('first'), await addUser('second')];
    await Promise.all([users.befriend(first, second), users.befriend(second, first)]);
    const pairs = (await announced()).filter(({ kind }) => kind === 'pair');
    expect(pairs).toMatchObject([{ version: 1, areFriends: true }]);
  });

  it('when a user trusts a stranger, then it is refused and no pair is left', async () => {
    const [first, second] = [await addUser('first'), await addUser('second')];
    const trust = users.setTrust({ userId: first, friendId: second, trusts: true });
    await expect(trust).rejects.toMatchObject({ code: 'not_permitted' });
    expect(await dataSource.query('select from pairs')).toEqual([]);
  });
});

describe('given a user in the middle of seven friends', () => {
  let userId: string;
  let friendIds: string[];

  beforeEach(async () => {
    const ids = Array.from({ length: 8 }, (_, index) => (1_000_000_000_000_000_000n + BigInt(index)).toString());
    for (const id of ids.toReversed()) await addUser(`p${id}`, id);
    userId = ids[3] ?? '';
    friendIds = ids.filter((id) => id !== userId);
    for (const id of friendIds) await users.befriend(id, userId);
  });

  const page = async (limit: number, after: string | null = null, before: string | null = null) => {
    const { friends, hasMore } = await queries.friends({ userId, viewerId: userId, limit, after, before });
    return { ids: friends.map(({ id }) => id), hasMore };
  };

  it('when all friends are listed, then they are in ascending order of ids', async () => {
    expect(await page(50)).toEqual({ ids: friendIds, hasMore: false });
    expect(await page(7)).toEqual({ ids: friendIds, hasMore: false });
  });

  // Shows endpoint-22
  it.each([1, 2, 3, 6])('when they are listed in pages of %s, then each appears once', async (limit) => {
    const seen: string[] = [];
    for (let hasMore = true; hasMore;) {
      const next = await page(limit, seen.at(-1) ?? null);
      expect(next.ids.length).toBeGreaterThan(0);
      seen.push(...next.ids);
      hasMore = next.hasMore;
    }
    expect(seen).toEqual(friendIds);
  });

  it('when bounds are given, then both are exclusive, whatever their number of digits', async () => {
    const [first = null, second, , fourth = null] = friendIds;
    expect(await page(50, first, fourth)).toEqual({ ids: friendIds.slice(1, 3), hasMore: false });
    expect(await page(1, first, fourth)).toEqual({ ids: [second], hasMore: true });
    expect(await page(50, null, '9'.repeat(40))).toEqual({ ids: friendIds, hasMore: false });
    expect(await page(50, '9'.repeat(40))).toEqual({ ids: [], hasMore: false });
    expect(await page(50, null, '1')).toEqual({ ids: [], hasMore: false });
  });

  it('when the statement is explained, then both halves are read from an index up to the limit', async () => {
    const client = await pool.connect();
    await client.query('set enable_seqscan = off');
    const plan = await client.query(`explain (format json) ${FRIENDS.text}`, [userId, '0', '9'.repeat(18), 21, 0, 0]);
    client.release(true);
    const text = JSON.stringify(plan.rows);
    for (const index of ['low', 'high']) expect(text).toContain(`"Index Name":"friends_by_${index}"`);
    expect(text.match(/"Node Type":"Limit"/g)).toHaveLength(3);
  });
});
