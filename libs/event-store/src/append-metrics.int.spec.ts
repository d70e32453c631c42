import { randomUUID } from 'node:crypto';
import { Metrics } from '@settle/observability';
import type { FreshDatabase } from '@settle/testing';
import { freshEventLog } from '../test/fresh-event-log.fixture.js';
import { NO_STREAM, PostgresEventStore, RevisionConflict, type AppendUnit } from './index.js';

const buildFirstUnit = (stream: string): AppendUnit => [
  { stream, expectedRevision: NO_STREAM, events: [{ id: randomUUID(), type: 'Created', data: {} }] },
];

describe('the metrics of an event store', () => {
  let database: FreshDatabase;
  beforeAll(async () => (database = await freshEventLog()));
  afterAll(() => database.drop());

  it('given units of one statement and a conflict, when the metrics are read, then each unit is counted', async () => {
    const metrics = new Metrics();
    const store = await PostgresEventStore.open({ url: database.url, metrics });
    await Promise.all(['a', 'b', 'c'].map((stream) => store.append(buildFirstUnit(stream))));
    const { position } = await store.append(buildFirstUnit('d'));
    await expect(store.append(buildFirstUnit('d'))).rejects.toThrow(RevisionConflict);
    const page = await metrics.text();
    for (const line of [
      'settle_event_store_units_total{outcome="stored"} 4',
      'settle_event_store_units_total{outcome="conflict"} 1',
      'settle_event_store_units_total{outcome="failed"} 0',
      'settle_event_store_statements_total 2',
      'settle_event_store_units_waiting 0',
      `settle_event_store_position ${position}`,
      'settle_pg_pool_waiting{pool="settle-event-store"} 0',
    ]) {
      expect(page).toContain(`${line}\n`);
    }
    await store.close();
  });
});
