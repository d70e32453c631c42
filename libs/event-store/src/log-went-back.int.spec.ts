import { randomUUID } from 'node:crypto';
import { eventually, testAdminUrl, type FreshDatabase } from '@settle/testing';
import pg from 'pg';
import { NO_STREAM, RevisionConflict } from './event-store.js';
import { freshEventLog } from '../test/fresh-event-log.fixture.js';
import { LogRegression } from './log-continuity.js';
import { PostgresEventStore } from './postgres-event-store.js';

const event = () => ({ id: randomUUID(), type: 'Happened', data: {} });

async function asAdmin(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(testAdminUrl());
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

describe('PostgresEventStore on a log that loses events', () => {
  let database: FreshDatabase;
  let name: string;
  let store: PostgresEventStore;
  const losses: LogRegression[] = [];

  beforeEach(async () => {
    losses.length = 0;
    database = await freshEventLog();
    name = new URL(database.url).pathname.slice(1);
    store = await PostgresEventStore.open({ url: database.url, onLost: (error) => losses.push(error) });
    await store.append([{ stream: 'wallet-1', expectedRevision: NO_STREAM, events: [event(), event()] }]);
    // The state of an asynchronous standby.
    await database.disconnect();
    await asAdmin(`create database ${name}_standby template ${name}`);
    await database.reconnect();
  });
  afterEach(async () => {
    await store.close();
    await asAdmin(`drop database if exists ${name}_primary with (force)`);
    await asAdmin(`drop database if exists ${name}_standby with (force)`);
    await database.drop();
  });

  /** Replaces the primary by the standby, at the same URL. */
  async function failOver(): Promise<void> {
    await database.disconnect();
    await asAdmin(
      `alter database ${name} rename to ${name}_primary`,
      `alter database ${name}_standby rename to ${name}`,
    );
    await database.reconnect();
  }

  it('given a standby that lacks only what another store has appended, when it takes over, then the lost revision is appended again', async () => {
    const other = await PostgresEventStore.open({ url: database.url });
    await other.append([{ stream: 'wallet-1', expectedRevision: 1, events: [event()] }]);
    await other.close();
    const ahead = store.append([{ stream: 'wallet-1', expectedRevision: 5, events: [event()] }]);
    await expect(ahead).rejects.toThrow(RevisionConflict);
    await failOver();
    await store.append([{ stream: 'wallet-1', expectedRevision: 1, events: [event()] }]);
    expect(losses).toEqual([]);
  });

  it('given a standby that lacks an append, when it takes over, then nothing is appended after the gap and the loss is reported', async () => {
    await store.append([{ stream: 'wallet-1', expectedRevision: 1, events: [event()] }]);
    await failOver();
    const next = store.append([{ stream: 'wallet-1', expectedRevision: 2, events: [event()] }]);
    await expect(next).rejects.toMatchObject({ name: 'StoreUnavailable' });
    expect(losses).toHaveLength(1);
    expect(losses[0]).toBeInstanceOf(LogRegression);
    expect(losses[0]!.message).toMatch(
      /has lost the event .* at position 3.* ends at position 2, server \d+, timeline \w+/,
    );
    const reader = new pg.Client(database.url);
    await reader.connect();
    const { rows } = await reader.query<{ revision: number }>('select revision from events order by position');
    await reader.end();
    expect(rows.map(({ revision }) => revision)).toEqual([0, 1]);
  });

  it('given another event at the position of the lost one, when a reader reconnects, then the loss is reported', async () => {
    await store.append([{ stream: 'wallet-1', expectedRevision: 1, events: [event()] }]);
    await failOver();
    const other = await PostgresEventStore.open({ url: database.url });
    await other.append([{ stream: 'wallet-1', expectedRevision: 1, events: [event(), event()] }]);
    await other.close();
    const read = () => store.readStream('wallet-1', { direction: 'backwards', limit: 1 });
    await read().catch(() => undefined);
    await eventually(() => expect(losses).toHaveLength(1));
    await expect(read()).rejects.toMatchObject({ name: 'StoreUnavailable' });
  });

  it('given a standby with all events, when it takes over, then appends and reads succeed', async () => {
    await failOver();
    const next = event();
    await expect(store.append([{ stream: 'wallet-1', expectedRevision: 1, events: [next] }])).resolves.toEqual({
      position: expect.any(Number) as number,
    });
    const [newest] = await store.readStream('wallet-1', { direction: 'backwards', limit: 1 });
    expect(newest).toMatchObject({ id: next.id, revision: 2 });
    expect(losses).toEqual([]);
  });
});
