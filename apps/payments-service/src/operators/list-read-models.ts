import { pollUntil } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { EventStore } from '@settle/event-store';
import type { Pool } from 'pg';
import { readCheckpoint } from '../projection/checkpoints.js';
import { PROJECTIONS } from '../read-models/registry.js';

const { quietMs, countMs, waitingCounted } = LIMITS.operators;

/** Returns a printable table of the read models: rows, size, and the number of events that they lack. */
export async function listReadModels(store: EventStore, pool: Pool, schema: string): Promise<string> {
  const lines = [['read model', 'table', 'rows', 'size', 'position', 'events behind']];
  for (const projection of PROJECTIONS) {
    const position = await readCheckpoint(pool, projection.name, schema);
    const waiting = await waitingEvents(store, projection.streamPrefixes, position);
    const tables = projection.readModels.flatMap(({ name: model, tables: all }) =>
      all.map(({ name }) => [model, name]),
    );
    for (const [model = '', name = ''] of tables) {
      const { rows } = await pool.query<{ rows: string; size: string }>(
        `select count(*) as rows, pg_size_pretty(pg_total_relation_size($1::regclass)) as size from ${schema}.${name}`,
        [`${schema}.${name}`],
      );
      lines.push([model, name, rows[0]?.rows ?? '', rows[0]?.size ?? '', String(position), waiting]);
    }
  }
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  const pad = (text: string, column: number) =>
    column < 2 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
  return lines.map((line) => line.map(pad).join('  ')).join('\n');
}

/** Counts the events of some streams after a position, up to a bound in number and time. */
async function waitingEvents(store: EventStore, streamPrefixes: readonly string[], after: number): Promise<string> {
  let count = 0;
  let countedAtMs = performance.now();
  const failures: unknown[] = [];
  const subscription = store.subscribe({
    streamPrefixes,
    after,
    batchSize: LIMITS.eventStore.eventsPerRead,
    handle: async (events) => {
      count += events.length;
      countedAtMs = performance.now();
    },
    onError: (error) => void failures.push(error),
  });
  const isOver = () => failures.length > 0 || count > waitingCounted || performance.now() - countedAtMs > quietMs;
  const isCounted = await pollUntil(async () => isOver(), { everyMs: quietMs / 100, timeoutMs: countMs });
  await subscription.stop();
  if (failures.length > 0) throw failures[0];
  if (count > waitingCounted) return `over ${waitingCounted}`;
  return isCounted ? String(count) : `about ${count}`;
}
