import { randomId, type UsersStateRecord } from '@settle/contracts';
import { freshDatabase, type FreshDatabase } from '@settle/testing';
import type { DataSource } from 'typeorm';
import { openUsersTables, storeUser } from '../../test/users-tables.fixture.js';
import { User } from '../storage/user.entity.js';
import { closeUser } from './close-user.js';
import { Users, findByUsername } from './users.js';

const PUBLIC_URL = 'http://localhost:3000';
const EMAIL = 'leaver@example.com';

describe('closing a user', () => {
  let database: FreshDatabase;
  let dataSource: DataSource;
  let users: Users;
  let userId: string;
  let friendId: string;

  beforeAll(async () => {
    database = await freshDatabase();
    dataSource = await openUsersTables(database.url);
    users = new Users(dataSource.manager, PUBLIC_URL);
    [userId, friendId] = [await storeUser(users, 'Leaver'), await storeUser(users, 'Friend')];
    await users.verifyAddress({ userId, kind: 'email', address: EMAIL, provenAtUs: 5 });
    await users.befriend(userId, friendId);
    await users.setTrust({ userId, friendId, trusts: true });
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  async function newestRecords(): Promise<UsersStateRecord[]> {
    const rows = await dataSource.query<{ payload: UsersStateRecord }[]>(
      'select distinct on (key) payload from outbox where position($1 in key) > 0 order by key, id desc',
      [userId],
    );
    return rows.map(({ payload }) => payload);
  }

  it('given a user with an address and a trusted friend, when it is closed twice, then the records name no one and no relation is left', async () => {
    const first = await closeUser(dataSource.manager, userId, PUBLIC_URL, 7);
    expect(await closeUser(dataSource.manager, userId, PUBLIC_URL, 8)).toEqual(first);
    const [pair, user] = await newestRecords();
    expect(pair).toMatchObject({ kind: 'pair', areFriends: false, lowTrustsHigh: false, highTrustsLow: false });
    expect(user).toMatchObject({
      ...{ kind: 'user', version: first.version, isClosed: true, isFrozen: true, addresses: [] },
      card: {
        id: userId,
        username: `closed:${userId}`,
        displayName: 'Closed account',
        about: '',
        profilePictureUrl: `${PUBLIC_URL}/pictures/CA.svg`,
      },
    });
    expect(JSON.stringify([pair, user])).not.toMatch(/leaver/i);
    const row = await dataSource.manager.findOneByOrFail(User, { id: userId });
    expect(JSON.stringify(row)).not.toMatch(/leaver/i);
    expect(row.closedAtUs).toBe(7);
  });

  it('given a closed user, when the account is changed, then there is no such user', async () => {
    const noSuchUser = { code: 'resource_not_found' };
    expect(await findByUsername(dataSource.manager, `closed:${userId}`)).toBeNull();
    await expect(users.changeUser(userId, { isFrozen: false })).rejects.toMatchObject(noSuchUser);
    const address = { userId, kind: 'email', address: EMAIL, provenAtUs: 9 } as const;
    await expect(users.verifyAddress(address)).rejects.toMatchObject(noSuchUser);
    await expect(closeUser(dataSource.manager, randomId(Date.now()), PUBLIC_URL, 9)).rejects.toMatchObject(noSuchUser);
  });

  it('given the username and the address of a closed user, when another user takes them, then they belong to that user', async () => {
    const newId = await storeUser(users, 'Leaver');
    await users.verifyAddress({ userId: newId, kind: 'email', address: EMAIL, provenAtUs: 10 });
    expect((await findByUsername(dataSource.manager, 'leaver'))?.id).toBe(newId);
  });
});
