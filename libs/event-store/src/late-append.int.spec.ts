import { eventually, FreezingPath, type FreshDatabase } from '@settle/testing';
import pg from 'pg';
import { getNumbers, getOutcome, readAll, buildUnit } from '../test/contract.fixture.js';
import { NO_STREAM } from './event-store.js';
import { freshEventLog } from '../test/fresh-event-log.fixture.js';
import { PostgresEventStore } from './postgres-event-store.js';

/** Also the longest time of an append that nothing delays, on a busy machine. */
const GIVE_UP_MS = 2_000;

describe('an append that the network delivers after its writer has given up', () => {
  let database: FreshDatabase;
  let path: FreezingPath;
  let client: pg.Client;
  const stores: PostgresEventStore[] = [];

  async function open(url: string): Promise<PostgresEventStore> {
    const store = await PostgresEventStore.open({ url, limits: { appendGiveUpMs: GIVE_UP_MS } });
    stores.push(store);
    return store;
  }

  async function appendSessions(): Promise<number[]> {
    const { rows } = await client.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = 'settle-append' and datname = current_database()`,
    );
    return rows.map(({ pid }) => pid);
  }

  beforeEach(async () => {
    database = await freshEventLog();
    path = await FreezingPath.to(database.url);
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterEach(async () => {
    path.thaw();
    await client.end();
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await path.close();
    await database.drop();
  });

  it.each([
    ['inside its statement', 'pg_advisory_xact_lock', 5],
    ['inside its rows', 'PGCOPY', 30],
  ])(
    'given a network path that freezes an append %s, when it delivers the rest after the deadline, then nothing is stored',
    async (_where, text, bytesAfter) => {
      const store = await open(path.url);
      await store.append(buildUnit('wallet-1', NO_STREAM, 1));
      const [session] = await appendSessions();
      const frozen = path.freezeInside(text, bytesAfter);
      const outcome = getOutcome(store.append(buildUnit('wallet-1', 0, 2)));
      await frozen;
      expect(await outcome).toBe('AppendOutcomeUnknown');
      path.thaw();
      await eventually(async () => expect(await appendSessions()).not.toContain(session));
      const reader = await open(database.url);
      expect(getNumbers(await readAll(reader, 'wallet-1'))).toEqual([1]);
      await store.append(buildUnit('wallet-1', 0, 3));
      expect(getNumbers(await readAll(reader, 'wallet-1'))).toEqual([1, 3]);
    },
  );

  it('given a network path that freezes an append inside its rows, when it delivers the rest in time, then the unit is stored once', async () => {
    const store = await PostgresEventStore.open({ url: path.url });
    stores.push(store);
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
    const frozen = path.freezeInside('PGCOPY', 30);
    const appended = store.append(buildUnit('wallet-1', 0, 2));
    await frozen;
    path.thaw();
    await appended;
    expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([1, 2]);
  });
});
