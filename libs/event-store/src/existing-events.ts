import type { Client } from 'pg';
import type { QueuedUnit } from './batch-validation.js';
import type { StreamAppend } from './event-store.js';

interface ExistingEvent {
  readonly id: string;
  readonly position: number;
}

/** What stands in the log at the places that units claim. */
export type ExistingEvents = ReadonlyMap<string, ExistingEvent>;

/** `stored`: the unit stands there whole, ids included. `taken`: another event stands where `append` claims. */
export type Comparison =
  | { readonly kind: 'stored'; readonly position: number }
  | { readonly kind: 'taken'; readonly append: StreamAppend }
  | { readonly kind: 'free' };

const FIND_EXISTING = {
  name: 'event-store-find-standing',
  text: `select e.stream, e.revision, e.id, e.position
    from unnest($1::text[], $2::int[]) as claimed (stream, revision)
    join events e on e.stream = claimed.stream and e.revision = claimed.revision`,
};

const FIND_NEWEST = {
  name: 'event-store-find-newest',
  text: `select wanted.stream, newest.revision from unnest($1::text[]) as wanted (stream)
    cross join lateral (
      select e.revision from events e where e.stream = wanted.stream order by e.revision desc limit 1
    ) newest`,
};

const buildKey = (stream: string, revision: number): string => `${stream} ${revision}`;

/** Reads what stands where these units want to write. */
export async function findExisting(client: Client, units: readonly QueuedUnit[]): Promise<ExistingEvents> {
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
  return new Map(
    rows.map(([stream, revision, id, position]) => [buildKey(stream, revision), { id, position: Number(position) }]),
  );
}

/** The newest revision of each of these streams; a stream that does not exist is absent. */
export async function findNewestRevisions(
  client: Client,
  streams: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<[string, number]>({ ...FIND_NEWEST, values: [streams], rowMode: 'array' });
  return new Map(rows);
}

export function compareUnit({ unit }: QueuedUnit, standing: ExistingEvents): Comparison {
  let position: number | null = null;
  let free: StreamAppend | null = null;
  for (const append of unit) {
    for (const [index, { id }] of append.events.entries()) {
      const there = standing.get(buildKey(append.stream, append.expectedRevision + 1 + index));
      if (there === undefined) free ??= append;
      else if (there.id !== id) return { kind: 'taken', append };
      else position = there.position;
    }
  }
  if (position === null) return { kind: 'free' };
  return free === null ? { kind: 'stored', position } : { kind: 'taken', append: free };
}
