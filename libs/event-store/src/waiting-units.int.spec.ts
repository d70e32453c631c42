import { eventually, type FreshDatabase } from '@settle/testing';
import pg from 'pg';
import { getOutcome, readAll, buildUnit } from '../test/contract.fixture.js';
import { APPEND_LOCK_KEY } from './event-log.migration.js';
import { NO_STREAM } from './event-store.js';
import { freshEventLog } from '../test/fresh-event-log.fixture.js';
import { PostgresEventStore } from './postgres-event-store.js';

/** So long that a busy process does not let the units expire that need not wait. */
const UNIT_WAIT_MS = 1_000;

describe('units in the queue', () => {
  let database: FreshDatabase;
  let store: PostgresEventStore;
  let client: pg.Client;

  beforeEach(async () => {
    database = await freshEventLog();
    store = await PostgresEventStore.open({ url: database.url, limits: { unitWaitMs: UNIT_WAIT_MS } });
    client = new pg.Client(database.url);
    await client.connect();
  });

  afterEach(async () => {
    await store.close();
    await client.end();
    await database.drop();
  });

  it('given a unit that waits longer than its caller, when its turn comes, then it is rejected and not stored', async () => {
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [APPEND_LOCK_KEY]);
    const inFlight = getOutcome(store.append(buildUnit('wallet-1', NO_STREAM, 1)));
    await eventually(async () => {
      const { rows } = await client.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_locks where locktype = 'advisory' and not granted
          and database = (select oid from pg_database where datname = current_database())`,
      );
      expect(rows[0]?.waiting).toBe(1);
    });
    const waiting = getOutcome(store.append(buildUnit('wallet-2', NO_STREAM, 2)));
    const startedAtMs = performance.now();
    await eventually(() => Promise.resolve(expect(performance.now() - startedAtMs).toBeGreaterThan(UNIT_WAIT_MS)));
    await client.query('commit');
    expect(await inFlight).toBe('stored');
    expect(await waiting).toBe('StoreUnavailable');
    expect(await readAll(store, 'wallet-2')).toEqual([]);
    expect(await getOutcome(store.append(buildUnit('wallet-2', NO_STREAM, 3)))).toBe('stored');
  });
});
