import { eventually, type FreshDatabase } from '@settle/testing';
import pg from 'pg';
import { getOutcome, readAll, buildUnit } from './contract.fixture.js';
import { APPEND_LOCK_KEY } from './event-log.migration.js';
import { NO_STREAM } from './event-store.js';
import { freshEventLog } from './fresh-event-log.fixture.js';
import { PostgresEventStore } from './postgres-event-store.js';

describe('units that wait for those before them', () => {
  let database: FreshDatabase;
  let store: PostgresEventStore;
  let outsider: pg.Client;

  beforeEach(async () => {
    database = await freshEventLog();
    store = await PostgresEventStore.open({ url: database.url, limits: { unitWaitMs: 20 } });
    outsider = new pg.Client(database.url);
    await outsider.connect();
  });

  afterEach(async () => {
    await store.close();
    await outsider.end();
    await database.drop();
  });

  it('given one that waits longer than its writer does, when its turn comes, then it is refused and never stored', async () => {
    await outsider.query('begin');
    await outsider.query('select pg_advisory_xact_lock($1)', [APPEND_LOCK_KEY]);
    const inFlight = getOutcome(store.append(buildUnit('wallet-1', NO_STREAM, 1)));
    await eventually(async () => {
      const { rows } = await outsider.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_locks where locktype = 'advisory' and not granted`,
      );
      expect(rows[0]?.waiting).toBe(1);
    });
    const waiting = getOutcome(store.append(buildUnit('wallet-2', NO_STREAM, 2)));
    const since = performance.now();
    await eventually(() => Promise.resolve(expect(performance.now() - since).toBeGreaterThan(20)));
    await outsider.query('commit');
    expect(await inFlight).toBe('stored');
    expect(await waiting).toBe('StoreUnavailable');
    expect(await readAll(store, 'wallet-2')).toEqual([]);
    expect(await getOutcome(store.append(buildUnit('wallet-2', NO_STREAM, 3)))).toBe('stored');
  });
});
