import { readSettings } from '@settle/config';
import {
  DEMO_USERS,
  askFriend,
  changeAccount,
  changeFriendship,
  getProfile,
  usersKnown,
  verifyAddress,
  type Profile,
  type RequestContract,
} from '@settle/contracts';
import { InMemoryBus, MessageClient } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { createPool, migrateSchema } from '@settle/postgres';
import { eventually, freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import { createUsersDataSource, startUsersService, type UsersService } from '../start-users-service.js';
import { USERS_SCHEMA } from '../storage/users-schema.js';
import { Users } from './users.js';

const logger = createLogger({ level: 'silent', service: 'spec' });
const { alice, bob, carol } = DEMO_USERS;

describe('profiles that the embedded shape keeps', () => {
  let database: FreshDatabase;
  let pool: Pool;
  let bus: InMemoryBus;
  let service: UsersService;

  beforeEach(async () => {
    database = await freshDatabase();
    await migrateSchema(USERS_SCHEMA, database.url);
    pool = createPool(database.url, { max: 2, name: 'kept-profiles-spec' });
    bus = new InMemoryBus({ logger });
    bus.handle(usersKnown.topic, usersKnown.pattern, () => Promise.resolve({ version: Number.MAX_SAFE_INTEGER }));
    const settings = readSettings({});
    service = await startUsersService({ settings, bus, logger, databaseUrl: database.url, isOnlyInstance: true });
  });
  afterEach(async () => {
    await service.close();
    await bus.close();
    await pool.end();
    await database.drop();
  });

  function send<Request extends object, Reply extends object>(
    contract: RequestContract<Request, Reply>,
    payload: Request,
  ): Promise<Reply> {
    return new MessageClient(bus).request(contract, payload, { key: alice.id, timeoutMs: 3_000 });
  }
  const profile = (userId: string, viewerId = userId): Promise<Profile> => send(getProfile, { userId, viewerId });

  const ALICE = {
    userId: alice.id,
    firstName: 'Alicia',
    lastName: 'A',
    about: '',
    defaultAudience: 'private',
  } as const;

  it('given a kept profile, when another user changes, then it is the same object', async () => {
    const before = await profile(bob.id);
    await send(changeAccount, { ...ALICE, userId: carol.id });
    expect(await profile(bob.id)).toBe(before);
  });

  it('given kept profiles, when the user changes their name, then everyone reads the new one at once', async () => {
    await Promise.all([profile(alice.id), profile(alice.id, bob.id)]);
    await send(changeAccount, ALICE);
    const read = await Promise.all([profile(alice.id), profile(alice.id, bob.id)]);
    expect(read.map(({ displayName }) => displayName)).toEqual(['Alicia A', 'Alicia A']);
  });

  it('given kept profiles, when an address changes its owner, then neither shows it wrongly', async () => {
    expect((await profile(bob.id)).email).toBe(bob.email);
    const provenAtUs = Date.now() * 1_000;
    await send(verifyAddress, { userId: alice.id, kind: 'email', address: bob.email, provenAtUs });
    expect((await profile(bob.id)).email).toBeNull();
  });

  it('given kept profiles, when two users become friends and one blocks the other, then both show it at once', async () => {
    const read = async () =>
      Promise.all([profile(alice.id), profile(carol.id)]).then((both) => both.map(({ friendsCount }) => friendsCount));
    const [ofAlice = 0, ofCarol = 0] = await read();
    await profile(carol.id, alice.id);
    await send(askFriend, { userId: alice.id, username: carol.username });
    await send(changeFriendship, { userId: carol.id, otherId: alice.id, action: 'accept' });
    expect(await read()).toEqual([ofAlice + 1, ofCarol + 1]);
    expect((await profile(carol.id, alice.id)).isFriend).toBe(true);
    await send(changeFriendship, { userId: carol.id, otherId: alice.id, action: 'block' });
    expect(await read()).toEqual([ofAlice, ofCarol]);
    await expect(profile(carol.id, alice.id)).rejects.toMatchObject({ code: 'resource_not_found' });
  });

  it('given a kept profile, when a command of an operator has changed it and its record is published, then it is read again', async () => {
    await profile(alice.id);
    const operator = await createUsersDataSource(database.url).initialize();
    try {
      await new Users(operator.manager, 'http://localhost:3000').changeUser(alice.id, { displayName: 'By Operator' });
      await eventually(async () => expect((await pool.query('select from outbox')).rowCount).toBe(0));
    } finally {
      await operator.destroy();
    }
    expect((await profile(alice.id)).displayName).toBe('By Operator');
  });
});
