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
function waitingEvents(store: EventStore, streamPrefixes: readonly string[], after: number): Promise<string> {
  return new Promise((resolve, reject) => {
    let count = 0;
    const end = (outcome: () => void) => {
      clearTimeout(quiet);
      clearTimeout(longest);
      void subscription.stop();
      outcome();
    };
    const tell = () => end(() => resolve(count > waitingCounted ? `over ${waitingCounted}` : String(count)));
    let quiet = setTimeout(tell, quietMs);
    const longest = setTimeout(() => end(() => resolve(`about ${count}`)), countMs);
    const subscription = store.subscribe({
      streamPrefixes,
      after,
      batchSize: LIMITS.eventStore.eventsPerRead,
      handle: async (events) => {
        count += events.length;
        if (count > waitingCounted) return tell();
        clearTimeout(quiet);
        quiet = setTimeout(tell, quietMs);
      },
      onError: (error) => end(() => reject(error instanceof Error ? error : new Error(String(error)))),
    });
  });
}
