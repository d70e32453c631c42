import {
  DEMO_USERS,
  getProfile,
  listFriends,
  usersState,
  type UserRecord,
  type UsersStateRecord,
} from '@settle/contracts';
import { readSettings } from '@settle/config';
import { InMemoryBus, MessageClient, type EventEnvelope } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { OutboxPublisher, createPool } from '@settle/postgres';
import { eventually, freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { Users } from '../users/users.js';
import { startUsersService } from '../start-users-service.js';
import { openUsersTables, storeUser } from '../../test/users-tables.fixture.js';

const logger = createLogger({ service: 'users-service', level: 'silent' });
const { alice, bob } = DEMO_USERS;

let database: FreshDatabase;
let dataSource: DataSource;
let pool: Pool;
let users: Users;

beforeEach(async () => {
  database = await freshDatabase();
  dataSource = await openUsersTables(database.url);
  pool = createPool(database.url, { max: 6, name: 'publishing-spec' });
  users = new Users(dataSource.manager, 'http://localhost:3000');
});
afterEach(async () => {
  await pool.end();
  await dataSource.destroy();
  await database.drop();
});

const addUser = (username: string) => storeUser(users, username);

/** A bus that keeps what it was given, and refuses while `refuses` says so. */
function recordingBus() {
  const events: EventEnvelope[] = [];
  const bus = {
    events,
    refuses: (_event: EventEnvelope) => false,
    async publish(event: EventEnvelope) {
      if (bus.refuses(event)) throw new Error('refused');
      events.push(event);
    },
    versionsOf: (id: string) =>
      events.filter(({ key }) => key === `user:${id}`).map(({ payload }) => (payload as UserRecord).version),
  };
  return bus;
}

const rowsLeft = async () => (await dataSource.query<object[]>('select from outbox')).length;

describe('given changes that were committed before a crash', () => {
  it('when a publisher starts, then the records of each key are published in order and their rows are deleted', async () => {
    const ids = await Promise.all(['ada', 'ben', 'cleo'].map(addUser));
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(ids.map((id) => users.changeUser(id, { isFrozen: round % 2 === 0 })));
    }
    const bus = recordingBus();
    const publisher = new OutboxPublisher({ pool, bus, logger, isOnlyInstance: false });
    await publisher.waitUntilPublished(30_000);
    for (const id of ids) expect(bus.versionsOf(id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    expect(await rowsLeft()).toBe(0);
    await publisher.stop();
  });
});

describe('given a running publisher', () => {
  it('when a change commits, then it is published at once, not at the next poll', async () => {
    const bus = recordingBus();
    const publisher = new OutboxPublisher({ pool, bus, logger, isOnlyInstance: false });
    await publisher.waitUntilPublished(30_000);
    const startMs = performance.now();
    for (let round = 0; round < 20; round += 1) {
      const id = await addUser(`quick${round}`);
      await publisher.waitUntilPublished(30_000, [`user:${id}`]);
    }
    // Polls alone would take 20 s.
    expect(performance.now() - startMs).toBeLessThan(15_000);
    expect(bus.events).toHaveLength(20);
    await publisher.stop();
  });

  it('when a change rolls back, then nothing is published', async () => {
    const bus = recordingBus();
    const publisher = new OutboxPublisher({ pool, bus, logger, isOnlyInstance: false });
    const id = await addUser('kept');
    const rolledBack = dataSource.transaction(async (manager) => {
      await new Users(manager, '').changeUser(id, { isFrozen: true });
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    await users.changeUser(id, { isBusiness: true });
    await publisher.waitUntilPublished(30_000);
    expect(bus.events.map(({ payload }) => (payload as UserRecord).isFrozen)).toEqual([false, false]);
    await publisher.stop();
  });

  it('when one record is refused for a while, then other keys are published, and the refused key is published in order later', async () => {
    const [stuck, free] = [await addUser('stuck'), await addUser('free')];
    const bus = recordingBus();
    bus.refuses = ({ key }) => key === `user:${stuck}`;
    const publisher = new OutboxPublisher({ pool, bus, logger, isOnlyInstance: false });
    await users.changeUser(stuck, { isFrozen: true });
    await publisher.waitUntilPublished(30_000, [`user:${free}`]);
    await expect(publisher.waitUntilPublished(100, [`user:${stuck}`])).rejects.toMatchObject({
      code: 'outcome_unknown',
    });
    bus.refuses = () => false;
    await publisher.waitUntilPublished(30_000);
    expect(bus.versionsOf(stuck)).toEqual([1, 2]);
    expect(bus.versionsOf(free)).toEqual([1]);
    await publisher.stop();
  });

  it('when the process is killed between publishing and deleting, then the record is published again', async () => {
    const id = await addUser('twice');
    const bus = recordingBus();
    const dying = new OutboxPublisher({ pool: withoutFirstDelete(), bus, logger, isOnlyInstance: false });
    await dying.waitUntilPublished(30_000);
    expect(bus.versionsOf(id)).toEqual([1, 1]);
    await dying.stop();
  });

  /** The connection is lost between the first publish and its delete. */
  function withoutFirstDelete(): Pool {
    let isFirst = true;
    const query = async (...args: Parameters<Pool['query']>) => {
      if (!isFirst || !JSON.stringify(args[0]).includes('delete from outbox')) return pool.query(...args);
      isFirst = false;
      throw new Error('connection lost');
    };
    return { query, connect: () => pool.connect() } as unknown as Pool;
  }

  it('when a second publisher competes, then one publishes, and the other continues after the first stops', async () => {
    const [first, second] = [recordingBus(), recordingBus()];
    const holder = new OutboxPublisher({ pool, bus: first, logger, isOnlyInstance: false });
    await addUser('one');
    await holder.waitUntilPublished(30_000);
    const waiting = new OutboxPublisher({ pool, bus: second, logger, isOnlyInstance: false });
    await addUser('two');
    await waiting.waitUntilPublished(30_000);
    expect([first.events.length, second.events.length]).toEqual([2, 0]);
    await holder.stop();
    await addUser('three');
    await waiting.waitUntilPublished(30_000);
    expect([first.events.length, second.events.length]).toEqual([2, 1]);
    await waiting.stop();
  });

  it('when a publish never ends, then the stop ends in time and the row stays', async () => {
    await addUser('hanging');
    let publisher: OutboxPublisher | undefined;
    await new Promise<void>((begun) => {
      const publish = () => {
        begun();
        return new Promise<never>(() => undefined);
      };
      publisher = new OutboxPublisher({ pool, bus: { publish }, logger, isOnlyInstance: false });
    });
    await publisher?.stop();
    expect(await rowsLeft()).toBe(1);
  });
});

describe('given the whole service on a bus', () => {
  const start = async (bus: InMemoryBus, publicUrl = 'http://localhost:3000') =>
    startUsersService({
      settings: readSettings({ PUBLIC_URL: publicUrl, ALLOW_DEMO_ON_NETWORK: 'true' }),
      bus,
      logger,
      databaseUrl: database.url,
    });

  /** Keeps the newest record of each key, as a reader of the topic does; refuses the first `refusals` batches. */
  function follow(bus: InMemoryBus, refusals = 0): Map<string, UsersStateRecord> {
    const newest = new Map<string, UsersStateRecord>();
    bus.consume(usersState.topic, usersState.pattern, 'spec', async (events) => {
      if (refusals-- > 0) throw new Error('refused');
      for (const { key, payload } of events) newest.set(key, payload as UsersStateRecord);
    });
    return newest;
  }

  it('when it has started, then its consumer, which refused at first, has the demo users', async () => {
    const bus = new InMemoryBus({ logger });
    const newest = follow(bus, 3);
    const service = await start(bus);
    expect([...newest.keys()].toSorted()).toEqual(
      [...Object.values(DEMO_USERS).map(({ id }) => `user:${id}`), `pair:${alice.id}:${bob.id}`].toSorted(),
    );
    await service.close();
    await bus.close();
  });

  it('when it receives requests, then it responds, and refuses a malformed id', async () => {
    const bus = new InMemoryBus({ logger });
    const service = await start(bus);
    const client = new MessageClient(bus);
    const options = { key: alice.id, timeoutMs: 30_000 };
    const profile = await client.request(getProfile, { userId: bob.id, viewerId: alice.id }, options);
    expect(profile).toMatchObject({ username: 'bob', isFriend: true });
    const page = await client.request(listFriends, { userId: alice.id, limit: 20, after: null, before: null }, options);
    expect(page).toMatchObject({ hasMore: false, friends: [{ username: 'bob' }] });
    const refused = client.request(getProfile, { userId: 'bob', viewerId: alice.id }, options);
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request' });
    await service.close();
    await bus.close();
  });

  it('when a consumer has lost its replica, then publishing all users fills it with newer versions', async () => {
    const bus = new InMemoryBus({ logger });
    const newest = follow(bus);
    const service = await start(bus);
    const before = new Map(newest);
    newest.clear();
    await service.announceEverything();
    expect([...newest.keys()].toSorted()).toEqual([...before.keys()].toSorted());
    for (const [key, record] of newest) {
      expect(record).toEqual({ ...before.get(key), version: (before.get(key)?.version ?? 0) + 1 });
    }
    await service.close();
    await bus.close();
  });

  it('when it starts with another public URL, then the picture links change', async () => {
    const [firstBus, secondBus] = [new InMemoryBus({ logger }), new InMemoryBus({ logger })];
    await (await start(firstBus)).close();
    const newest = follow(secondBus);
    const service = await start(secondBus, 'https://pay.example.com');
    const card = { profilePictureUrl: 'https://pay.example.com/pictures/BB.svg' };
    await eventually(() => expect(newest.get(`user:${bob.id}`)).toMatchObject({ card }));
    await service.close();
    await secondBus.close();
  });
});
