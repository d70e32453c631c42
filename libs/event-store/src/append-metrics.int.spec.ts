import { randomUUID } from 'node:crypto';
import { Metrics } from '@settle/observability';
import type { FreshDatabase } from '@settle/testing';
import { freshEventLog } from './fresh-event-log.fixture.js';
import { NO_STREAM, PostgresEventStore, RevisionConflict, type AppendUnit } from './index.js';

const begins = (stream: string): AppendUnit => [
  { stream, expectedRevision: NO_STREAM, events: [{ id: randomUUID(), type: 'Begun', data: {} }] },
];

describe('what an event store shows of itself', () => {
  let database: FreshDatabase;
  beforeAll(async () => (database = await freshEventLog()));
  afterAll(() => database.drop());

  it('given units stored together and one that came too late, when it is looked at, then each is counted', async () => {
    const metrics = new Metrics();
    const store = await PostgresEventStore.open({ url: database.url, metrics });
    await Promise.all(['a', 'b', 'c'].map((stream) => store.append(begins(stream))));
    const { position } = await store.append(begins('d'));
    await expect(store.append(begins('d'))).rejects.toThrow(RevisionConflict);
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
