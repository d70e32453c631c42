import { START, type EventStore } from '@settle/event-store';
import type { EventEnvelope } from '@settle/messaging';
import type { PublishedTopic } from '../public-events/published-topics.js';
import { readPublicEventEpoch } from '../public-events/public-event-epoch.js';
import { replay } from './replay.js';
import type { Pool } from 'pg';

export interface ExportPlace {
  readonly store: EventStore;
  readonly pool: Pool;
  /** Writes text; resolves once more may be written. */
  readonly write: (text: string) => Promise<void>;
}

/**
 * Writes the records of a public topic from the event log, one line of JSON each, in the order of their positions, up to the
 * newest event of now. Holds one batch of events at most. Errors: those of the store and of `write`.
 * @param from the first position that is written
 */
export async function exportTopic(
  { store, pool, write }: ExportPlace,
  { published, from }: { readonly published: PublishedTopic; readonly from: number },
): Promise<void> {
  const { topic: name, streamPrefixes, buildRecords } = published;
  const { epoch } = await readPublicEventEpoch(pool, name);
  const range = { name, streamPrefixes, after: Math.max(START, from - 1), upTo: await store.newestPosition() };
  await replay({ store, say: () => undefined }, range, async (events) => {
    const records = (await buildRecords(store, events, epoch)).flat();
    const lines = records.map(lineOf).toSorted((one, other) => one.position - other.position);
    if (lines.length > 0) await write(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  });
}

function lineOf({ topic, key, headers = {}, payload }: EventEnvelope) {
  const { position, time, type } = headers;
  return { topic, key, position: Number(position), time, type, data: payload };
}
