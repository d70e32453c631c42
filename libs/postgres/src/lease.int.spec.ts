import { randomBytes } from 'node:crypto';
import { createLogger } from '@settle/observability';
import type { Pool } from 'pg';
import type { QueryRunner } from 'typeorm';
import { Lease, createLeasesTable, createPool, dropServiceDatabase, prepareServiceDatabase } from './index.js';

const logger = createLogger({ level: 'fatal', service: 'spec' });
const adminUrl = process.env['SETTLE_TEST_ADMIN_URL'] ?? '';

/** An instance that asks for the lease, and what it was told. Its pool can be frozen, as a stopped process is. */
class Instance {
  readonly told: (number | 'lost')[] = [];
  readonly lease: Lease;
  #hear: () => void = () => undefined;
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
      onHeld: (fence) => this.#tell(fence),
      onLost: () => this.#tell('lost'),
    });
  }

  /** Resolves once it was told so many times. */
  async hears(count: number): Promise<readonly (number | 'lost')[]> {
    while (this.told.length < count) await new Promise<void>((resolve) => (this.#hear = resolve));
    return this.told;
  }

  #tell(news: number | 'lost'): void {
    this.told.push(news);
    this.#hear();
  }

  freeze(): void {
    this.#frozen = new Promise((resolve) => (this.#thaw = resolve));
  }

  thaw(): void {
    this.#frozen = null;
    this.#thaw();
  }
}

describe('a lease', () => {
  const name = `test_${randomBytes(6).toString('hex')}`;
  let admin: Pool;
  let pool: Pool;
  const instances: Instance[] = [];

  async function started(isOnlyInstance = false): Promise<Instance> {
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

  it('given many who start at once, when they have tried, then one holds it', async () => {
    const many = await Promise.all(Array.from({ length: 8 }, () => started()));
    expect(many.flatMap(({ told }) => told)).toEqual([1]);
    expect(many.filter(({ lease }) => lease.isHeld)).toHaveLength(1);
  });

  it('given its holder stops, when another asks again, then that one has it, with a larger fence', async () => {
    const first = await started();
    const second = await started();
    const since = performance.now();
    await first.lease.stop();
    expect(await second.hears(1)).toEqual([2]);
    expect(performance.now() - since).toBeLessThan(1_000);
    expect([first.told, first.lease.isHeld, second.lease.isHeld]).toEqual([[1], false, true]);
  });

  it('given its holder freezes, when 3 s have not passed, then another has it, and the first learns so', async () => {
    const first = await started();
    const second = await started();
    first.freeze();
    const since = performance.now();
    expect(await second.hears(1)).toEqual([2]);
    expect(performance.now() - since).toBeLessThan(3_000);
    expect(first.lease.isHeld).toBe(false);
    first.thaw();
    expect(await first.hears(2)).toEqual([1, 'lost']);
    await second.lease.stop();
    expect(await first.hears(3)).toEqual([1, 'lost', 3]);
  });

  it('given the database was away, when nobody else took it, then its holder has it again', async () => {
    const only = await started();
    await admin.query(`alter role ${name} connection limit 0`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [name]);
    expect(await only.hears(2)).toEqual([1, 'lost']);
    await admin.query(`alter role ${name} connection limit -1`);
    expect(await only.hears(3)).toEqual([1, 'lost', 1]);
  });

  it('given a killed holder, when the only instance starts, then it does not wait for the lease to end', async () => {
    await pool.query(`insert into leases values ('spec', 'the killed one', 7, clock_timestamp() + interval '1 hour')`);
    expect((await started()).told).toEqual([]);
    expect((await started(true)).told).toEqual([8]);
  });
});
