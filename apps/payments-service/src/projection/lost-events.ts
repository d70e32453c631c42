import type { Environment, LogEvent } from '@settle/contracts';
import { START, type EventStore } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import { inTransaction } from '@settle/postgres';
import type { ClientBase, Pool } from 'pg';
import { ENVIRONMENT_STORAGE, storeOf } from '../storage/environments.js';
import { holdsEvent } from '../storage/holds-event.js';
import { PROJECTIONS } from '../read-models/registry.js';
import { PROJECTION, UNKNOWN_VERSION } from './checkpoints.js';

type Database = Pick<ClientBase, 'query'>;

/** A checkpoint with the newest event that was projected before it. */
export interface CheckpointWithEvent {
  readonly position: number;
  /** Null if no release that stores the event has moved the checkpoint. */
  readonly event: LogEvent | null;
}

/** The read models have events that the log does not have: they cannot be trusted, and later events would not be projected. */
class ReadModelsAheadOfLog extends Error {
  constructor(environment: Environment, { position, event }: CheckpointWithEvent) {
    const what = event === null ? 'the log is empty' : `the event ${event.id} of the stream ${event.stream} is missing`;
    const sandbox = environment === 'sandbox' ? ' --sandbox' : '';
    super(
      `The event log went back behind the read models (${environment}), which have reached position ${position}: ${what}. ` +
        `Where this is the right log, run: npm run projections -- rebuild all --accept-differences${sandbox}; ` +
        'and for the topic: npm run ledger -- republish',
    );
    this.name = 'ReadModelsAheadOfLog';
  }
}

/** A checkpoint of an environment. */
export interface CheckpointPlace {
  /** Trusted name. */
  readonly schema: string;
  /** Name of the projection; absent: that of the ledger. */
  readonly name?: string;
}

/** Reads a checkpoint with its newest event. */
export async function readCheckpointWithEvent(
  database: Database,
  { schema, name = PROJECTION }: CheckpointPlace,
): Promise<CheckpointWithEvent> {
  // An event after the position belongs to a restored row, not to this checkpoint.
  const { rows } = await database.query<{ position: string; event: LogEvent | null }>(
    `select position, case when event_position <= position then json_build_object('stream', event_stream,
       'revision', event_revision, 'id', event_id, 'position', event_position) end as event
     from ${schema}.checkpoint_positions where name = $1 order by position desc limit 1`,
    [name],
  );
  const [row] = rows;
  return row === undefined ? { position: START, event: null } : { ...row, position: Number(row.position) };
}

/** Sets a checkpoint in both tables; a claim takes the larger position. */
export async function setCheckpoint(
  database: Database,
  { schema, name = PROJECTION }: CheckpointPlace,
  { position, event }: CheckpointWithEvent,
): Promise<void> {
  await database.query(`update ${schema}.checkpoints set position = $2 where name = $1`, [name, position]);
  await database.query(
    `update ${schema}.checkpoint_positions set position = $2, event_stream = $3, event_revision = $4, event_id = $5,
       event_position = $6 where name = $1`,
    [name, position, event?.stream, event?.revision, event?.id, event?.position],
  );
}

/** Returns whether the log has lost events that the read models have. Errors: the store's and the database's. */
export async function hasLostEvents(
  store: Pick<EventStore, 'readStream' | 'newestPosition'>,
  { position, event }: CheckpointWithEvent,
): Promise<boolean> {
  if (position === START) return false;
  if (event === null) return (await store.newestPosition()) === START;
  return !(await holdsEvent(store, event));
}

/**
 * Compares the log with the checkpoints of every environment. The store verifies the event that is read here again on each
 * new connection. If only events outside the ledger had moved a checkpoint beyond the end of the log, it is set back to its
 * own event, so that no later event is skipped. Sums that have lost events, or have no event to set them back to, are
 * computed again by the projector.
 * Errors: `ReadModelsAheadOfLog`; the store's and the database's.
 */
export async function compareReadModelsWithLog(store: EventStore, pool: Pool, logger: Logger): Promise<void> {
  for (const environment of Object.keys(ENVIRONMENT_STORAGE) as Environment[]) {
    const { schema } = ENVIRONMENT_STORAGE[environment];
    for (const { kind, name } of PROJECTIONS) {
      const checkpoint = await readCheckpointWithEvent(pool, { schema, name });
      const isLost = await hasLostEvents(storeOf(environment, store), checkpoint);
      if (isLost && kind === 'ledger') {
        const err = new ReadModelsAheadOfLog(environment, checkpoint);
        logger.fatal({ err }, 'the event log went back: this process ends');
        throw err;
      }
      if (isLost || (kind === 'sums' && (await isBeyondEndWithoutEvent(store, checkpoint)))) {
        await pool.query(`update ${schema}.checkpoints set version = ${UNKNOWN_VERSION} where name = $1`, [name]);
      } else {
        await setBackBehindEnd(store, pool, { schema, name, checkpoint });
      }
    }
  }
}

async function isBeyondEndWithoutEvent(store: EventStore, { position, event }: CheckpointWithEvent): Promise<boolean> {
  return event === null && (await store.newestPosition()) < position;
}

async function setBackBehindEnd(
  store: EventStore,
  pool: Pool,
  { checkpoint, ...place }: CheckpointPlace & { readonly checkpoint: CheckpointWithEvent },
): Promise<void> {
  const { position, event } = checkpoint;
  if (event === null || event.position === position || (await store.newestPosition()) >= position) return;
  await inTransaction(pool, async (client) => {
    await client.query(`select from ${place.schema}.checkpoints where name = $1 for update`, [place.name]);
    const current = await readCheckpointWithEvent(client, place);
    if (current.position === position) await setCheckpoint(client, place, { position: event.position, event });
  });
}
