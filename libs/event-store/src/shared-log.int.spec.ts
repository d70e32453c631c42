import { eventually, type FreshDatabase } from '@settle/testing';
import pg from 'pg';
import { Recorder, getNumbers, buildUnit } from './contract.fixture.js';
import { NO_STREAM } from './event-store.js';
import { freshEventLog } from './fresh-event-log.fixture.js';
import { PostgresEventStore } from './postgres-event-store.js';

describe('a log that several processes share', () => {
  let database: FreshDatabase;
  let writer: PostgresEventStore;
  let follower: PostgresEventStore;
  let outsider: pg.Client;
  let revision: number;

  beforeEach(async () => {
    database = await freshEventLog();
    // Who looks by himself looks too late for these specs.
    const open = () => PostgresEventStore.open({ url: database.url, isShared: true, limits: { pollMs: 600_000 } });
    [writer, follower] = await Promise.all([open(), open()]);
    outsider = new pg.Client(database.url);
    await outsider.connect();
    revision = NO_STREAM;
  });
  afterEach(async () => {
    await Promise.all([writer.close(), follower.close(), outsider.end()]);
    await database.drop();
  });

  /** Appends again and again, as a hint that nobody hears is lost, until what was appended has been seen. */
  async function appendUntilSeen(recorder: Recorder): Promise<void> {
    const before = recorder.events.length;
    await eventually(async () => {
      await writer.append(buildUnit('wallet-1', revision, revision + 1));
      revision += 1;
      expect(recorder.events.length).toBeGreaterThan(before);
    });
  }

  it('given another process follows it, when something is appended, then that one is told', async () => {
    const recorder = new Recorder();
    follower.subscribe(recorder.options(['wallet-']));
    await appendUntilSeen(recorder);
    await writer.append(buildUnit('wallet-1', revision, revision + 1));
    await recorder.waitForEvents(revision + 2);
    expect(getNumbers(recorder.events)).toEqual(Array.from({ length: revision + 2 }, (_, index) => index));
  });

  it('given its connections are cut, when something is appended, then it is told again', async () => {
    const recorder = new Recorder();
    follower.subscribe(recorder.options(['wallet-']));
    await appendUntilSeen(recorder);
    await outsider.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'settle-event-store'`);
    await appendUntilSeen(recorder);
  });

  it('given nobody follows any more, when it is looked who listens, then nobody does', async () => {
    const recorder = new Recorder();
    const following = follower.subscribe(recorder.options(['wallet-']));
    await appendUntilSeen(recorder);
    await following.stop();
    await eventually(async () => {
      const { rows } = await outsider.query(
        `select from pg_stat_activity where datname = current_database()
          and application_name = 'settle-event-store' and query in ('listen settle_appended', 'select')`,
      );
      expect(rows).toEqual([]);
    });
  });
});
