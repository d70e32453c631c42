import { randomBytes } from 'node:crypto';
import { createDatabaseCheck, createPool, isDatabaseReady, readOrThrowUnavailable } from '@settle/postgres';
import pg from 'pg';
import { eventually } from './eventually.js';
import { freshDatabase, testAdminUrl, type FreshDatabase } from './fresh-database.js';

describe('a database that cannot serve', () => {
  let database: FreshDatabase;
  let pool: pg.Pool;
  let admin: pg.Client;
  let role: string;

  beforeEach(async () => {
    database = await freshDatabase();
    role = new URL(database.url).username;
    pool = createPool(database.url, { max: 2, name: 'failures-spec' });
    await pool.query('create table notes (note text)');
    admin = new pg.Client(testAdminUrl());
    await admin.connect();
  });
  afterEach(async () => {
    await admin.end();
    await pool.end();
    await database.drop();
  });

  const cutSessions = () =>
    admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role]);
  const write = () => readOrThrowUnavailable(pool.query('insert into notes select $1', ['note']));

  it('given a changed password, when a request needs a connection, then it is unavailable and no service is ready', async () => {
    await eventually(async () => expect(await isDatabaseReady(database.url)).toBe(true));
    await admin.query(`alter role ${role} password '${randomBytes(12).toString('hex')}'`);
    expect(await isDatabaseReady(database.url)).toBe(false);
    await cutSessions();
    await eventually(() => expect(write()).rejects.toMatchObject({ code: 'service_unavailable' }));
    await admin.query(`alter role ${role} password '${new URL(database.url).password}'`);
    await eventually(async () => expect(await isDatabaseReady(database.url)).toBe(true));
    await write();
  });

  it('given a readiness check that has succeeded, when it is repeated soon, then no new connection is opened', async () => {
    const [kept, repeated] = [createDatabaseCheck(database.url, Infinity), createDatabaseCheck(database.url, 0)];
    for (const check of [kept, repeated]) await eventually(async () => expect(await check()).toBe(true));
    await admin.query(`alter role ${role} password '${randomBytes(12).toString('hex')}'`);
    expect([await kept(), await repeated()]).toEqual([true, false]);
    // The failure of one check counts for all of the process.
    expect(await kept()).toBe(false);
  });

  it('given a read-only server, when a request writes, then it is unavailable and no service is ready', async () => {
    await eventually(async () => expect(await isDatabaseReady(database.url)).toBe(true));
    await admin.query(`alter role ${role} set default_transaction_read_only = on`);
    await cutSessions();
    await eventually(() => expect(write()).rejects.toMatchObject({ code: 'service_unavailable' }));
    expect(await isDatabaseReady(database.url)).toBe(false);
  });
});
