import { runCopyScript, type CopyRows } from '@settle/postgres';
import type { Client } from 'pg';
import { CLOCK_READING } from './database-clock.js';
import { APPEND_LOCK_KEY } from './event-log.migration.js';
import type { AppendUnit } from './event-store.js';

/** Column count, five lengths, a revision and an id. */
const FIXED_ROW_BYTES = 2 + 5 * 4 + 4 + 16;
const UTF8_BYTES_PER_UNIT = 3;

/** A unit with the JSON texts of its events, in order. */
export interface EncodableUnit {
  readonly unit: AppendUnit;
  readonly texts: readonly string[];
}

/** Returns the largest size in bytes of the encoded rows of a unit. */
export function computeByteBound({ unit, texts }: EncodableUnit): number {
  let bytes = 0;
  for (const { stream, events } of unit) {
    for (const { type } of events) bytes += FIXED_ROW_BYTES + stream.length + type.length;
  }
  for (const text of texts) bytes += text.length * UTF8_BYTES_PER_UNIT;
  return bytes;
}

/**
 * Two divisions by zero reject a late append: the first statement if the lock or the message took too long, the last one
 * if the rows did. So bytes that the network delivers after the writer has given up store nothing.
 */
function buildStatements(deadline: string): string {
  const isBeforeDeadline = `(clock_timestamp() < timestamptz '${deadline}')::int`;
  return (
    `select 1 / case when pg_advisory_xact_lock(${APPEND_LOCK_KEY}) is null then 0 else ${isBeforeDeadline} end; ` +
    'copy events (stream, revision, type, id, data) from stdin (format binary); ' +
    `select lastval() / ${isBeforeDeadline}, ${CLOCK_READING}`
  );
}

/** Encodes the events of units. The result is valid until `rows` are encoded again. */
export function encodeEvents(units: readonly EncodableUnit[], rows: CopyRows): Buffer {
  rows.clear();
  for (const { unit, texts } of units) {
    let textIndex = 0;
    for (const { stream, expectedRevision, events } of unit) {
      let revision = expectedRevision;
      for (const { id, type } of events) {
        revision += 1;
        rows.row(5);
        rows.text(stream);
        rows.int4(revision);
        rows.text(type);
        rows.uuid(id);
        rows.text(texts[textIndex] ?? '');
        textIndex += 1;
      }
    }
  }
  return rows.finish();
}

/**
 * Stores encoded events before `deadline`, a time on the clock of the database. Returns the position of the last event,
 * and the time on that clock in milliseconds since 1970. Errors as for `runCopyScript`.
 */
export async function storeEvents(
  client: Client,
  deadline: string,
  events: Buffer,
): Promise<{ readonly position: number; readonly clockMs: number }> {
  const [position, clockMs] = await runCopyScript(client, buildStatements(deadline), [events]);
  return { position: Number(position), clockMs: Number(clockMs) };
}
