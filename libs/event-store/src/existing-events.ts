import type { Client } from 'pg';
import type { QueuedUnit } from './batch-validation.js';
import type { AppendUnit, StoredEvent, StreamAppend } from './event-store.js';

/** Returns the event that the log has at a revision of a stream. */
export type FindExisting = (stream: string, revision: number) => Pick<StoredEvent, 'id' | 'position'> | undefined;

/** `stored`: the log has the whole unit, with the same ids. `taken`: it has another event at a revision of `append`. */
export type Comparison =
  | { readonly kind: 'stored'; readonly position: number }
  | { readonly kind: 'taken'; readonly append: StreamAppend }
  | { readonly kind: 'free' };

const FIND_EXISTING = {
  name: 'event-store-find-existing',
  text: `select e.stream, e.revision, e.id, e.position
    from unnest($1::text[], $2::int[]) as expected (stream, revision)
    join events e on e.stream = expected.stream and e.revision = expected.revision`,
};

const FIND_NEWEST = {
  name: 'event-store-find-newest',
  text: `select wanted.stream, newest.revision from unnest($1::text[]) as wanted (stream)
    cross join lateral (
      select e.revision from events e where e.stream = wanted.stream order by e.revision desc limit 1
    ) newest`,
};

const buildKey = (stream: string, revision: number): string => `${stream} ${revision}`;

/** Reads the events that the log has at the revisions of these units. */
export async function readExisting(client: Client, units: readonly QueuedUnit[]): Promise<FindExisting> {
  const streams: string[] = [];
  const revisions: number[] = [];
  for (const append of units.flatMap(({ unit }) => unit)) {
    for (let offset = 1; offset <= append.events.length; offset += 1) {
      streams.push(append.stream);
      revisions.push(append.expectedRevision + offset);
    }
  }
  const { rows } = await client.query<[string, number, string, string]>({
    ...FIND_EXISTING,
    values: [streams, revisions],
    rowMode: 'array',
  });
  const existing = new Map(
    rows.map(([stream, revision, id, position]) => [buildKey(stream, revision), { id, position: Number(position) }]),
  );
  return (stream, revision) => existing.get(buildKey(stream, revision));
}

/** Reads the newest revisions of these streams. The result has no entry for a stream that does not exist. */
export async function findNewestRevisions(
  client: Client,
  streams: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<[string, number]>({ ...FIND_NEWEST, values: [streams], rowMode: 'array' });
  return new Map(rows);
}

/** Compares a unit with the events that the log has at its revisions. */
export function compareUnit(unit: AppendUnit, findExisting: FindExisting): Comparison {
  let position: number | null = null;
  let firstFree: StreamAppend | null = null;
  for (const append of unit) {
    for (const [index, { id }] of append.events.entries()) {
      const current = findExisting(append.stream, append.expectedRevision + 1 + index);
      if (current === undefined) firstFree ??= append;
      else if (current.id !== id) return { kind: 'taken', append };
      else position = current.position;
    }
  }
  if (position === null) return { kind: 'free' };
  return firstFree === null ? { kind: 'stored', position } : { kind: 'taken', append: firstFree };
}
