import pg from 'pg';
import { describeOtherWriters } from '../test/waiting-units.contract.fixture.js';
import { describeAppending } from '../test/appending.contract.fixture.js';
import {
  appendAtEnd,
  buildAppend,
  expectInOrderWithoutGaps,
  getNumbers,
  getOutcome,
  readAll,
  Recorder,
  buildUnit,
  type StoreBackend,
} from '../test/contract.fixture.js';
import { APPEND_LOCK_KEY } from './event-log.migration.js';
import {
  AppendOutcomeUnknown,
  NO_STREAM,
  RevisionConflict,
  StoreUnavailable,
  type AppendUnit,
  type SubscribeOptions,
} from './event-store.js';
import { describeSubscribing } from '../test/subscribing.contract.fixture.js';
import { freshEventLog } from '../test/fresh-event-log.fixture.js';
import type { EventStoreLimits } from './limits.js';
import { PostgresEventStore } from './postgres-event-store.js';

async function createBackend(): Promise<StoreBackend & { url: string }> {
  const { url, drop } = await freshEventLog();
  return { url, drop, open: () => PostgresEventStore.open({ url }) };
}

describe('PostgresEventStore', () => {
  describeAppending(createBackend);
  describeOtherWriters(createBackend);
  describeSubscribing(createBackend);
});

describe('several stores on one database', () => {
  let url: string;
  let drop: () => Promise<void>;
  let client: pg.Client;
  const stores: PostgresEventStore[] = [];

  async function open(limits: Partial<EventStoreLimits> = {}): Promise<PostgresEventStore> {
    const store = await PostgresEventStore.open({ url, limits });
    stores.push(store);
    return store;
  }

  async function cutConnections(): Promise<void> {
    // A worker of autovacuum, which may be there too, belongs to the superuser: ending it is not permitted.
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
  }

  /** Resolves when another session waits for a lock. */
  async function waitForLockWaiter(): Promise<void> {
    for (;;) {
      const { rowCount } = await client.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      if (rowCount !== 0) return;
    }
  }

  beforeEach(async () => {
    ({ url, drop } = await freshEventLog());
    client = new pg.Client({ connectionString: url });
    await client.connect();
  });
  afterEach(async () => {
    await client.end();
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await drop();
  });

  it('given two stores on one database, when one appends, then the other conflicts with it or builds on it', async () => {
    const [one, two] = [await open(), await open()];
    await one.append(buildUnit('wallet-1', NO_STREAM, 1));
    await expect(two.append(buildUnit('wallet-1', NO_STREAM, 9))).rejects.toThrow(RevisionConflict);
    expect(getNumbers(await readAll(two, 'wallet-1'))).toEqual([1]);
    await two.append(buildUnit('wallet-1', 0, 2));
    await expect(one.append(buildUnit('wallet-1', 0, 9))).rejects.toThrow(RevisionConflict);
  });

  it('given units that build on each other, when another store takes the first revision, then all of them conflict', async () => {
    const [one, two] = [await open(), await open()];
    await one.append(buildUnit('wallet-1', NO_STREAM, 1));
    await two.append(buildUnit('wallet-1', 0, 2, 3, 4));
    const ahead = [1, 2, 3, 4].map((expected) => one.append(buildUnit('wallet-1', expected - 1, 100 + expected)));
    const unrelated = one.append(buildUnit('wallet-2', NO_STREAM, 7));
    expect(await Promise.all([...ahead, unrelated].map(getOutcome))).toEqual([
      ...ahead.map(() => 'RevisionConflict'),
      'stored',
    ]);
    expect(getNumbers(await readAll(one, 'wallet-1'))).toEqual([1, 2, 3, 4]);
  });

  it('given two stores with concurrent appends, when both have a subscription, then each event is delivered once and in order', async () => {
    const both = [await open({ pollMs: 10 }), await open({ pollMs: 10 })];
    const recorders = both.map((store) => {
      const recorder = new Recorder();
      store.subscribe(recorder.options(['wallet-'], { batchSize: 50 }));
      return recorder;
    });
    const writers = both.flatMap((store) =>
      Array.from({ length: 20 }, async (_, writer) => {
        for (let number = 0; number < 25; number += 1) await appendAtEnd(store, `wallet-${writer}`, number);
      }),
    );
    await Promise.all(writers);
    for (const recorder of recorders) {
      await recorder.waitForEvents(1_000);
      expect(new Set(recorder.events.map(({ id }) => id)).size).toBe(1_000);
      expectInOrderWithoutGaps(recorder.events);
    }
    expect(recorders[0]!.events).toEqual(recorders[1]!.events);
  });

  it('given a slow writer between insert and commit, when a store appends, then no subscription skips the slow one', async () => {
    const store = await open({ pollMs: 5 });
    const recorder = new Recorder();
    store.subscribe(recorder.options(['wallet-']));
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [APPEND_LOCK_KEY]);
    await client.query(`insert into events (stream, revision, type, id, data)
      values ('wallet-2', 0, 'Counted', gen_random_uuid(), '{"number": 2}')`);
    const appended = store.append(buildUnit('wallet-1', 0, 3));
    await waitForLockWaiter();
    expect(getNumbers(recorder.events)).toEqual([1]);
    await client.query('commit');
    await appended;
    await recorder.waitForEvents(3);
    expect(getNumbers(recorder.events)).toEqual([1, 2, 3]);
  });

  it('given a writer that keeps the lock, when a unit waits too long, then the store is unavailable and nothing is stored', async () => {
    const store = await open({ appendStatementMs: 50 });
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [APPEND_LOCK_KEY]);
    await expect(store.append(buildUnit('wallet-1', NO_STREAM, 1))).rejects.toThrow(StoreUnavailable);
    await client.query('rollback');
    expect(await readAll(store, 'wallet-1')).toEqual([]);
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
  });

  it('given a full queue, when another unit is appended, then it is rejected and the others are stored', async () => {
    const store = await open({ unitsWaiting: 10 });
    const appends = Array.from({ length: 11 }, (_, number) =>
      getOutcome(store.append(buildUnit(`wallet-${number}`, NO_STREAM, number))),
    );
    expect(await Promise.all(appends)).toEqual([...Array<string>(10).fill('stored'), 'StoreUnavailable']);
  });

  it('given small batches, when many units are queued, then all are stored in order', async () => {
    const store = await open({ unitsPerBatch: 7, bytesPerBatch: 2_000 });
    const large = buildAppend('wallet-0', NO_STREAM, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const numbers = Array.from({ length: 100 }, (_, number) => number);
    await Promise.all([store.append([large]), ...numbers.map((n) => store.append(buildUnit('wallet-1', n - 1, n)))]);
    expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual(numbers);
    expect(await readAll(store, 'wallet-0')).toHaveLength(9);
  });

  it('given connections that break repeatedly under load, when all appends are done, then each event is stored once', async () => {
    const store = await open({ appendGiveUpMs: 20_000, pollMs: 10 });
    const recorder = new Recorder();
    store.subscribe(recorder.options(['wallet-']));
    let cuts = 0;
    let stored = 0;
    const cutting = (async () => {
      while (cuts < 12) {
        await cutConnections();
        cuts += 1;
        await recorder.waitForEvents(recorder.events.length + 40);
      }
    })();
    const write = async (writer: number) => {
      for (let number = 0; cuts < 12; number += 1) {
        await store.append(buildUnit(`wallet-${writer}`, number - 1, number));
        stored += 1;
      }
    };
    await Promise.all(Array.from({ length: 30 }, (_, writer) => write(writer)));
    const more = Array.from({ length: 50 }, (_, number) => store.append(buildUnit('wallet-end', number - 1, number)));
    await Promise.all([cutting, ...more]);
    await recorder.waitForEvents(stored + more.length);
    expect(recorder.events).toHaveLength(stored + more.length);
    expectInOrderWithoutGaps(recorder.events);
  });

  it('given an append that waits for the lock, when it times out, then its outcome is unknown', async () => {
    const store = await open({ appendGiveUpMs: 300 });
    await store.append(buildUnit('wallet-0', NO_STREAM, 0));
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [APPEND_LOCK_KEY]);
    const sent = store.append(buildUnit('wallet-1', NO_STREAM, 1));
    const outcome = getOutcome(sent);
    await waitForLockWaiter();
    const queued = getOutcome(store.append(buildUnit('wallet-2', NO_STREAM, 2)));
    expect(await outcome).toBe(AppendOutcomeUnknown.name);
    await client.query('rollback');
    expect(['stored', StoreUnavailable.name]).toContain(await queued);
  });

  it('given a stored unit, when another store appends it again, then it succeeds and is stored once', async () => {
    const [one, two] = [await open(), await open()];
    const unit: AppendUnit = [buildAppend('payment-1', NO_STREAM, [1]), buildAppend('wallet-1', NO_STREAM, [2])];
    const first = await one.append(unit);
    expect(await two.append(unit)).toEqual(first);
    expect(await two.append([unit[0]!])).toEqual({ position: first.position - 1 });
    const half: AppendUnit = [unit[0]!, buildAppend('wallet-2', NO_STREAM, [3])];
    await expect(two.append(half)).rejects.toThrow(RevisionConflict);
  });

  it('given a unit that another store has appended in parts, when it is appended whole, then a slow subscription reads the log', async () => {
    const [one, two] = [await open(), await open()];
    const [first, second] = [buildAppend('wallet-1', NO_STREAM, [1]), buildAppend('wallet-1', 0, [3])];
    await one.append([first]);
    const recorder = new Recorder();
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const handle: SubscribeOptions['handle'] = async (events, upTo) => {
      await released;
      recorder.record(events, upTo);
    };
    two.subscribe(recorder.options(['wallet-'], { batchSize: 1, handle }));
    const { position } = await one.append(buildUnit('wallet-2', NO_STREAM, 2)).then(() => one.append([second]));
    const events = [...first.events, ...second.events];
    expect(await two.append([{ ...first, events }])).toEqual({ position });
    release();
    await recorder.waitForEvents(3);
    expect(getNumbers(recorder.events)).toEqual([1, 2, 3]);
  });
});

it('given no server, when a store is opened, then the error says so without the password', async () => {
  const opening = PostgresEventStore.open({ url: 'postgres://settle:hidden-word@127.0.0.1:1/none' });
  await expect(opening).rejects.toThrow(/cannot be reached/);
  await expect(opening).rejects.not.toThrow(/hidden-word/);
});
