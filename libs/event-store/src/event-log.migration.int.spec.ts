import { freshDatabase } from '@settle/testing';
import pg from 'pg';
import { getNumbers, readAll, buildUnit } from '../test/contract.fixture.js';
import { migrateEventLog } from './event-log.migration.js';
import { NO_STREAM } from './event-store.js';
import { freshEventLog } from '../test/fresh-event-log.fixture.js';
import { PostgresEventStore } from './postgres-event-store.js';

describe('the migration of the event log', () => {
  it('given an event log, when several clients migrate it again at once, then it keeps its events', async () => {
    const database = await freshEventLog();
    const store = await PostgresEventStore.open({ url: database.url });
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
    const clients = Array.from({ length: 4 }, () => new pg.Client(database.url));
    await Promise.all(clients.map((client) => client.connect().then(() => migrateEventLog(client))));
    await Promise.all(clients.map((client) => client.end()));
    expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([1]);
    await store.close();
    await database.drop();
  });

  it('given a database without an event log, when several clients migrate it at once, then each succeeds and the log takes events', async () => {
    const database = await freshDatabase();
    const clients = Array.from({ length: 4 }, () => new pg.Client(database.url));
    await Promise.all(clients.map((client) => client.connect().then(() => migrateEventLog(client))));
    await Promise.all(clients.map((client) => client.end()));
    const store = await PostgresEventStore.open({ url: database.url });
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
    expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([1]);
    await store.close();
    await database.drop();
  });

  it('given a database without an event log, when a store is opened, then it fails and creates no log', async () => {
    const { url, drop } = await freshDatabase();
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await expect(PostgresEventStore.open({ url })).rejects.toThrow('no event log: run the migrations');
    }
    await drop();
  });
});
