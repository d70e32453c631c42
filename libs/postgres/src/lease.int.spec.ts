import { randomBytes } from 'node:crypto';
import { createLogger } from '@settle/observability';
import type { Pool } from 'pg';
import type { QueryRunner } from 'typeorm';
import { Lease, createLeasesTable, createPool, dropServiceDatabase, prepareServiceDatabase } from './index.js';

const logger = createLogger({ level: 'fatal', service: 'spec' });
const adminUrl = process.env['SETTLE_TEST_ADMIN_URL'] ?? '';

/** An instance that competes for the lease and records its callbacks. Its pool can be frozen, like a stopped process. */
class Instance {
  readonly changes: (number | 'lost')[] = [];
  readonly lease: Lease;
  #notify: () => void = () => undefined;
  #thaw: () => void = () => undefined;
  #frozen: Promise<void> | null = null;

  constructor(pool: Pool, isOnlyInstance = false) {
    const query = async (...args: Parameters<Pool['query']>) => {
      await this.#frozen;
      return pool.query(...args);
    };
    this.lease = new Lease({
      pool: { query } as unknown as Pool,
      name: 'spec',
      logger,
      isOnlyInstance,
      onHeld: (fence) => this.#record(fence),
      onLost: () => this.#record('lost'),
    });
  }

  /** Resolves after `count` callbacks. */
  async waitForChanges(count: number): Promise<readonly (number | 'lost')[]> {
    while (this.changes.length < count) await new Promise<void>((resolve) => (this.#notify = resolve));
    return this.changes;
  }

  #record(change: number | 'lost'): void {
    this.changes.push(change);
    this.#notify();
  }

  freeze(): void {
    this.#frozen = new Promise((resolve) => (this.#thaw = resolve));
  }

  thaw(): void {
    this.#frozen = null;
    this.#thaw();
  }
}

describe('Lease', () => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  let admin: Pool;
  let pool: Pool;
  const instances: Instance[] = [];

  async function start(isOnlyInstance = false): Promise<Instance> {
    const instance = new Instance(pool, isOnlyInstance);
    instances.push(instance);
    await instance.lease.start();
    return instance;
  }

  beforeAll(async () => {
    const url = await prepareServiceDatabase({ adminUrl, name, password: name });
    admin = createPool(adminUrl, { max: 1, name: 'spec' });
    pool = createPool(url, { max: 4, name: 'spec' });
    await createLeasesTable(pool as unknown as QueryRunner);
  });
  afterEach(async () => {
    await Promise.all(instances.splice(0).map(({ lease }) => lease.stop()));
    await pool.query('truncate leases');
  });
  afterAll(async () => {
    await Promise.all([pool.end(), admin.end()]);
    await dropServiceDatabase({ adminUrl, name });
  });

  it('given eight instances, when they start at once, then one acquires the lease', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => start()));
    expect(all.flatMap(({ changes }) => changes)).toEqual([1]);
    expect(all.filter(({ lease }) => lease.isHeld)).toHaveLength(1);
  });

  it('given two instances, when the holder stops, then the other acquires the lease with a larger fence', async () => {
    const first = await start();
    const second = await start();
    await first.lease.stop();
    expect(await second.waitForChanges(1)).toEqual([2]);
    expect([first.changes, first.lease.isHeld, second.lease.isHeld]).toEqual([[1], false, true]);
  });

  it('given a holder that stopped, when another starts, then it acquires the lease at its first attempt', async () => {
    await (await start()).lease.stop();
    expect((await start()).changes).toEqual([2]);
  });

  it('given a dead holder from before the clock of the database went back, when another starts, then it acquires the lease', async () => {
    const expiresAt = `clock_timestamp() + interval '1 hour'`;
    await pool.query(`insert into leases (name, holder, fence, expires_at) values ('spec', 'dead', 7, ${expiresAt})`);
    expect((await start()).changes).toEqual([8]);
  });

  it('given two instances, when the holder freezes, then the other acquires the lease once it has ended and the holder loses it', async () => {
    const first = await start();
    const second = await start();
    first.freeze();
    expect(await second.waitForChanges(1)).toEqual([2]);
    expect(first.lease.isHeld).toBe(false);
    first.thaw();
    expect(await first.waitForChanges(2)).toEqual([1, 'lost']);
    await second.lease.stop();
    expect(await first.waitForChanges(3)).toEqual([1, 'lost', 3]);
  });

  it('given a database that was unavailable, when it is back, then the last holder acquires the lease again', async () => {
    const only = await start();
    await admin.query(`alter role ${name} connection limit 0`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [name]);
    expect(await only.waitForChanges(2)).toEqual([1, 'lost']);
    await admin.query(`alter role ${name} connection limit -1`);
    expect(await only.waitForChanges(3)).toEqual([1, 'lost', 1]);
  });

  it('given a killed holder, when the only instance starts, then it acquires the lease without waiting for the expiry', async () => {
    await pool.query(
      `insert into leases values ('spec', 'the killed one', 7, clock_timestamp() + interval '1 second')`,
    );
    expect((await start()).changes).toEqual([]);
    expect((await start(true)).changes).toEqual([8]);
  });
});
