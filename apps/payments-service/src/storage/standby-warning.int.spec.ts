import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '@settle/observability';
import { createPool, startEmbeddedPostgres, type EmbeddedPostgres } from '@settle/postgres';
import { eventually } from '@settle/testing';
import pg from 'pg';
import { warnOfAsynchronousStandby } from './standby-warning.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A PostgreSQL of its own: the one that int specs share takes no standby. */
async function startServerForStandbys(dataDir: string): Promise<EmbeddedPostgres> {
  const first = await startEmbeddedPostgres({ dataDir, logger: silent });
  const client = new pg.Client(first.adminUrl);
  await client.connect();
  await client.query('alter system set max_wal_senders = 2');
  await client.end();
  await first.stop();
  await appendFile(join(dataDir, 'postgres', 'pg_hba.conf'), 'host replication all 127.0.0.1/32 scram-sha-256\n');
  return startEmbeddedPostgres({ dataDir, logger: silent });
}

/** Streams the write-ahead log as a standby does. */
async function attachStandby(url: string): Promise<pg.Client> {
  const config = { connectionString: url, replication: 'true' };
  const standby = new pg.Client(config);
  // The server ends the stream when it stops.
  standby.on('error', () => undefined);
  await standby.connect();
  const { rows } = await standby.query<{ xlogpos: string }>('IDENTIFY_SYSTEM');
  void standby.query(`START_REPLICATION PHYSICAL ${rows[0]?.xlogpos}`).catch(() => undefined);
  return standby;
}

describe('the warning of an asynchronous standby', () => {
  let dataDir: string;
  let server: EmbeddedPostgres;
  let pool: pg.Pool;
  let standby: pg.Client | null = null;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'settle-standby-'));
    server = await startServerForStandbys(dataDir);
    pool = createPool(server.adminUrl, { max: 2, name: 'standby-spec' });
  });
  afterAll(async () => {
    await pool.end();
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });
  afterEach(async () => {
    await standby?.end();
    standby = null;
    await nameSynchronousStandbys('');
    await eventually(async () => expect(await replicationStates()).toEqual([]));
  });

  async function replicationStates(): Promise<string[]> {
    const { rows } = await pool.query<{ state: string }>('select state from pg_stat_replication');
    return rows.map(({ state }) => state);
  }

  async function nameSynchronousStandbys(names: string): Promise<void> {
    await pool.query(`alter system set synchronous_standby_names = '${names}'`);
    await pool.query('select pg_reload_conf()');
    await eventually(async () => {
      const { rows } = await pool.query('show synchronous_standby_names');
      expect(rows).toEqual([{ synchronous_standby_names: names }]);
    });
  }

  async function warnings(): Promise<unknown[]> {
    const logged: unknown[] = [];
    const logger = { warn: (...line: unknown[]) => void logged.push(...line) };
    await warnOfAsynchronousStandby(pool, logger as unknown as Logger);
    return logged;
  }

  it('given no standby, when the service starts, then no warning is logged', async () => {
    expect(await warnings()).toEqual([]);
  });

  it('given an attached standby and no synchronous_standby_names, when the service starts, then one warning names the setting', async () => {
    standby = await attachStandby(server.adminUrl);
    await eventually(async () => expect(await replicationStates()).toEqual(['streaming']));
    expect(await warnings()).toEqual([
      expect.stringMatching(/^a standby is attached and synchronous_standby_names is empty: /),
    ]);
  });

  it('given an attached standby that is synchronous, when the service starts, then no warning is logged', async () => {
    standby = await attachStandby(server.adminUrl);
    await nameSynchronousStandbys('*');
    await eventually(async () => expect(await replicationStates()).toEqual(['streaming']));
    expect(await warnings()).toEqual([]);
  });
});
