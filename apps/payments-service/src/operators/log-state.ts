import { TOPICS, type LogEvent, type LogState } from '@settle/contracts';
import type { EventStore, StoredEvent } from '@settle/event-store';
import type { Pool } from 'pg';
import { ENVIRONMENT_STORAGE } from '../storage/environments.js';
import { PROJECTION, readCheckpoint } from '../projection/checkpoints.js';
import { paymentStream, walletStream } from '../storage/streams.js';

/** Payments whose streams are read to find the newest event in the read models. */
const NEWEST_PAYMENTS = 20;

export async function readLogState(
  pool: Pool,
  store: Pick<EventStore, 'readStream'>,
  eventStore: LogState['eventStore'],
): Promise<LogState> {
  // Before the newest event, so that the log has everything that the read models have.
  const checkpoint = await readCheckpoint(pool, PROJECTION, ENVIRONMENT_STORAGE.live.schema);
  const sandboxCheckpoint = await readCheckpoint(pool, PROJECTION, ENVIRONMENT_STORAGE.sandbox.schema);
  const published = await readCheckpoint(pool, TOPICS.paymentsEvents, ENVIRONMENT_STORAGE.live.schema);
  const newestEvent = eventStore === 'postgres' ? await newestInPostgres(pool) : await newestInReadModels(pool, store);
  return { eventStore, newestEvent, checkpoint, sandboxCheckpoint, published };
}

async function newestInPostgres(pool: Pool): Promise<LogEvent | null> {
  const { rows } = await pool.query<{ position: string; id: string; stream: string; revision: number }>(
    'select position, id, stream, revision from public.events order by position desc limit 1',
  );
  const [row] = rows;
  return row === undefined ? null : { ...row, position: Number(row.position) };
}

/** EventStoreDB has no newest event of several streams: reads the streams of the newest payments and of their wallets. */
async function newestInReadModels(pool: Pool, store: Pick<EventStore, 'readStream'>): Promise<LogEvent | null> {
  const { schema } = ENVIRONMENT_STORAGE.live;
  const { rows } = await pool.query<{ id: string; actor_id: string; target_user_id: string | null }>(
    `select id, actor_id, target_user_id from ${schema}.payments order by id desc limit ${NEWEST_PAYMENTS}`,
  );
  const streams = new Set<string>();
  for (const { id, actor_id: actor, target_user_id: target } of rows) {
    streams.add(paymentStream(id));
    for (const owner of [actor, target]) if (owner !== null) streams.add(walletStream(owner));
  }
  let newest: StoredEvent | null = null;
  for (const stream of streams) {
    const [last] = await store.readStream(stream, { direction: 'backwards', limit: 1 });
    if (last !== undefined && last.position > (newest?.position ?? 0)) newest = last;
  }
  if (newest === null) return null;
  const { position, id, stream, revision } = newest;
  return { position, id, stream, revision };
}
