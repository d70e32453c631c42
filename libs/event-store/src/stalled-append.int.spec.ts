import { eventually, FreezingPath, type FreshDatabase } from '@settle/testing';
import pg from 'pg';
import { getNumbers, getOutcome, readAll, buildUnit } from './contract.fixture.js';
import { NO_STREAM } from './event-store.js';
import { freshEventLog } from './fresh-event-log.fixture.js';
import { PostgresEventStore } from './postgres-event-store.js';

const SERVES_AGAIN_WITHIN_MS = 4_000;
/** What the rows of an append begin with, and so many bytes of them. */
const ROWS = 'PGCOPY';
const INTO_THE_ROWS = 30;

describe('an append whose packets are dropped in the middle of its message', () => {
  let database: FreshDatabase;
  let path: FreezingPath;
  let cutOff: PostgresEventStore;
  let outsider: pg.Client;
  const stores: PostgresEventStore[] = [];

  async function open(url = database.url): Promise<PostgresEventStore> {
    const store = await PostgresEventStore.open({ url });
    stores.push(store);
    return store;
  }

  /** Resolves once the server has taken the lock for an append and waits for the rest of it. */
  async function cutInTheMiddle(): Promise<{ readonly outcome: Promise<string> }> {
    const frozen = path.freezeInside(ROWS, INTO_THE_ROWS);
    const outcome = getOutcome(cutOff.append(buildUnit('wallet-1', 0, 2)));
    await frozen;
    await eventually(async () => {
      const { rows } = await outsider.query<{ wait_event: string }>(
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
    outsider = new pg.Client({ connectionString: database.url });
    await outsider.connect();
    cutOff = await open(path.url);
    await cutOff.append(buildUnit('wallet-1', NO_STREAM, 1));
  });
  afterEach(async () => {
    path.thaw();
    await outsider.end();
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await path.close();
    await database.drop();
  });

  it('given another store, when it appends, then it ends the stalled session and stores its unit within 4 s', async () => {
    const other = await open();
    await other.append(buildUnit('wallet-2', NO_STREAM, 1));
    const { outcome } = await cutInTheMiddle();
    const began = performance.now();
    await other.append(buildUnit('wallet-2', 0, 2));
    expect(performance.now() - began).toBeLessThan(SERVES_AGAIN_WITHIN_MS);
    await other.append(buildUnit('wallet-1', 0, 9));
    expect(await outcome).toBe('AppendOutcomeUnknown');
    path.thaw();
    expect(getNumbers(await readAll(other, 'wallet-1'))).toEqual([1, 9]);
  });

  it('given a store that is opened then, when it appends, then it opens without waiting and stores within 4 s', async () => {
    await cutInTheMiddle();
    const began = performance.now();
    const other = await open();
    await other.append(buildUnit('wallet-2', NO_STREAM, 1));
    expect(performance.now() - began).toBeLessThan(SERVES_AGAIN_WITHIN_MS);
  });
});
