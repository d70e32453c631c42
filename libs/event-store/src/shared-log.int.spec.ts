import { eventually, type FreshDatabase } from '@settle/testing';
import pg from 'pg';
import { Recorder, getNumbers, buildUnit } from '../test/contract.fixture.js';
import { NO_STREAM } from './event-store.js';
import { freshEventLog } from '../test/fresh-event-log.fixture.js';
import { PostgresEventStore } from './postgres-event-store.js';

describe('a log of several processes', () => {
  let database: FreshDatabase;
  let writer: PostgresEventStore;
  let subscriber: PostgresEventStore;
  let client: pg.Client;
  let revision: number;

  beforeEach(async () => {
    database = await freshEventLog();
    // The poll interval is longer than these specs.
    const open = () => PostgresEventStore.open({ url: database.url, isShared: true, limits: { pollMs: 600_000 } });
    [writer, subscriber] = await Promise.all([open(), open()]);
    client = new pg.Client(database.url);
    await client.connect();
    revision = NO_STREAM;
  });
  afterEach(async () => {
    await Promise.all([writer.close(), subscriber.close(), client.end()]);
    await database.drop();
  });

  /** Appends until an event is delivered: hints are lost while the subscriber does not listen. */
  async function appendUntilDelivered(recorder: Recorder): Promise<void> {
    const before = recorder.events.length;
    await eventually(async () => {
      await writer.append(buildUnit('wallet-1', revision, revision + 1));
      revision += 1;
      expect(recorder.events.length).toBeGreaterThan(before);
    });
  }

  it('given a subscription of another process, when an event is appended, then it is delivered without polling', async () => {
    const recorder = new Recorder();
    subscriber.subscribe(recorder.options(['wallet-']));
    await appendUntilDelivered(recorder);
    await writer.append(buildUnit('wallet-1', revision, revision + 1));
    await recorder.waitForEvents(revision + 2);
    expect(getNumbers(recorder.events)).toEqual(Array.from({ length: revision + 2 }, (_, index) => index));
  });

  it('given a subscription whose connections break, when events are appended, then they are delivered again', async () => {
    const recorder = new Recorder();
    subscriber.subscribe(recorder.options(['wallet-']));
    await appendUntilDelivered(recorder);
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'settle-event-store'`);
    await appendUntilDelivered(recorder);
  });

  it('given a store without subscriptions, when its connections are listed, then none listens for hints', async () => {
    const recorder = new Recorder();
    const subscription = subscriber.subscribe(recorder.options(['wallet-']));
    await appendUntilDelivered(recorder);
    await subscription.stop();
    await eventually(async () => {
      const { rows } = await client.query(
        `select from pg_stat_activity where datname = current_database()
          and application_name = 'settle-event-store' and query in ('listen settle_appended', 'select')`,
      );
      expect(rows).toEqual([]);
    });
  });
});
