import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { randomId } from '@settle/contracts';
import type { EventEnvelope } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { OutboxPublisher, createPool } from '@settle/postgres';
import { eventually, freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { Users } from '../users/users.js';
import { openUsersTables } from '../../test/users-tables.fixture.js';

const logger = createLogger({ service: 'users-service', level: 'silent' });

/** Publishes on the database that its argument names, and writes the key of each record. */
const PUBLISHER = `
  import { createLogger } from '@settle/observability';
  import { OutboxPublisher, createPool } from '@settle/postgres';
  const pool = createPool(process.argv[1], { max: 4, name: 'frozen' });
  const bus = { publish: async ({ key }) => void process.stdout.write(key + '\\n') };
  new OutboxPublisher({ pool, bus, logger: createLogger({ service: 'frozen', level: 'silent' }), isOnlyInstance: false });`;

describe('the publisher of the outbox', () => {
  let database: FreshDatabase;
  let dataSource: DataSource;
  let pool: Pool;
  let users: Users;
  let child: ChildProcess;
  let keys: string[];

  beforeAll(async () => {
    database = await freshDatabase();
    dataSource = await openUsersTables(database.url);
    pool = createPool(database.url, { max: 4, name: 'spec' });
    users = new Users(dataSource.manager, 'http://localhost:3000');
    child = spawn(process.execPath, ['--input-type=module', '-e', PUBLISHER, database.url], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    keys = [];
    if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', (key) => keys.push(key));
  });
  afterAll(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    await pool.end();
    await dataSource.destroy();
    await database.drop();
  });

  async function createUser(username: string): Promise<string> {
    const id = randomId(Date.now());
    const names = { firstName: username, lastName: 'Test' };
    await users.createUser({ id, username, ...names, email: null, phone: null, joinedAtUs: 1 });
    return `user:${id}`;
  }

  it('given a frozen holder of the lease, when a change commits, then another instance publishes it within seconds', async () => {
    const first = await createUser('first');
    await eventually(() => expect(keys).toEqual([first]));
    // Frozen between publishing a record and removing it, it would publish that record twice.
    await eventually(async () => expect((await pool.query('select from outbox')).rowCount).toBe(0));
    child.kill('SIGSTOP');

    const events: EventEnvelope[] = [];
    const bus = { publish: async (event: EventEnvelope) => void events.push(event) };
    const publisher = new OutboxPublisher({ pool, bus, logger, isOnlyInstance: false });
    const second = await createUser('second');
    await publisher.waitUntilPublished(30_000);
    child.kill('SIGCONT');
    const third = await createUser('third');
    await publisher.waitUntilPublished(30_000);
    expect(events.map(({ key }) => key)).toEqual([second, third]);
    expect(keys).toEqual([first]);
    await publisher.stop();
  });
});
