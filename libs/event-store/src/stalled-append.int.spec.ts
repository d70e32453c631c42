import { eventually, FreezingPath, type FreshDatabase } from '@settle/testing';
import pg from 'pg';
import { getNumbers, getOutcome, readAll, buildUnit } from '../test/contract.fixture.js';
import { NO_STREAM } from './event-store.js';
import { freshEventLog } from '../test/fresh-event-log.fixture.js';
import { PostgresEventStore } from './postgres-event-store.js';

/** The stalled session itself would last for minutes. */
const MAX_RECOVERY_MS = 20_000;
/** The first bytes of the rows of an append, and the number of bytes that the server receives. */
const ROWS = 'PGCOPY';
const BYTES_OF_ROWS = 30;

describe('an append whose packets are lost in the middle of its message', () => {
  let database: FreshDatabase;
  let path: FreezingPath;
  let disconnected: PostgresEventStore;
  let client: pg.Client;
  const stores: PostgresEventStore[] = [];

  async function open(url = database.url): Promise<PostgresEventStore> {
    const store = await PostgresEventStore.open({ url });
    stores.push(store);
    return store;
  }

  /** Resolves when the server has the lock for an append and waits for the rest of its message. */
  async function stallAppend(): Promise<{ readonly outcome: Promise<string> }> {
    const frozen = path.freezeInside(ROWS, BYTES_OF_ROWS);
    const outcome = getOutcome(disconnected.append(buildUnit('wallet-1', 0, 2)));
    await frozen;
    await eventually(async () => {
      const { rows } = await client.query<{ wait_event: string }>(
        `select wait_event from pg_stat_activity where application_name = 'settle-append' and state = 'active'
           and datname = current_database()`,
      );
      expect(rows.map(({ wait_event }) => wait_event)).toEqual(['ClientRead']);
    });
    return { outcome };
  }

  beforeEach(async () => {
    database = await freshEventLog();
    path = await FreezingPath.to(database.url);
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
    disconnected = await open(path.url);
    await disconnected.append(buildUnit('wallet-1', NO_STREAM, 1));
  });
  afterEach(async () => {
    path.thaw();
    await client.end();
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await path.close();
    await database.drop();
  });

  it('given an open store, when it appends, then it ends the stalled session and stores its unit', async () => {
    const other = await open();
    await other.append(buildUnit('wallet-2', NO_STREAM, 1));
    const { outcome } = await stallAppend();
    const startedAtMs = performance.now();
    await other.append(buildUnit('wallet-2', 0, 2));
    expect(performance.now() - startedAtMs).toBeLessThan(MAX_RECOVERY_MS);
    await other.append(buildUnit('wallet-1', 0, 9));
    expect(await outcome).toBe('AppendOutcomeUnknown');
    path.thaw();
    expect(getNumbers(await readAll(other, 'wallet-1'))).toEqual([1, 9]);
  });

  it('given a stalled append, when another store is opened and appends, then its unit is stored', async () => {
    await stallAppend();
    const startedAtMs = performance.now();
    const other = await open();
    await other.append(buildUnit('wallet-2', NO_STREAM, 1));
    expect(performance.now() - startedAtMs).toBeLessThan(MAX_RECOVERY_MS);
  });
});
