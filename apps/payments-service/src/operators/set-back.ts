import type { Environment } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import type { PoolClient } from 'pg';
import { ENVIRONMENT_STORAGE, storeOf } from '../storage/environments.js';
import { PROJECTION } from '../projection/checkpoints.js';
import { hasLostEvents, readCheckpointWithEvent, setCheckpoint } from '../projection/lost-events.js';
import { READ_MODEL_NAMES, type ReadModelName } from '../projection/read-models.js';

/** The session that writes the read models; of another role's session only the process id can be seen. */
const SERVING = (schema: string): string => `
  select from ${schema}.checkpoints c join pg_stat_activity a on a.pid = c.backend_pid
  where c.name = $1 and coalesce(a.backend_start = c.backend_start, true)`;

export interface SetBack {
  readonly environment: Environment;
  /** The schema of the rebuilt checkpoint. */
  readonly rebuilt: string;
  readonly say: (line: string) => void;
}

export interface ComparedWithLog {
  readonly store: EventStore;
  readonly environment: Environment;
  /** Those that are to be switched. */
  readonly models: readonly ReadModelName[];
  readonly say: (line: string) => void;
}

/**
 * Returns the position where the log ends, if it has lost events that the live read models hold; else null.
 * Errors: it has, and payments-service runs, or not all read models are to be switched.
 */
export async function lostLogEnd(client: PoolClient, compared: ComparedWithLog): Promise<number | null> {
  const { store, environment, models, say } = compared;
  const { schema } = ENVIRONMENT_STORAGE[environment];
  const checkpoint = await readCheckpointWithEvent(client, schema);
  if (!(await hasLostEvents(storeOf(environment, store), checkpoint))) return null;
  await refuseWhileServing(client, schema);
  if (models.length < READ_MODEL_NAMES.length) {
    throw new Error(
      'The event log went back behind the read models: they can only be rebuilt together. Write rebuild all',
    );
  }
  const end = await store.newestPosition();
  say(
    `the event log went back: it ends at position ${end}, and the live read models have read up to ` +
      `${checkpoint.position}; rebuilding up to the end of the log`,
  );
  return end;
}

/** Errors: an instance of payments-service is connected, which may make payments that a set-back would forget. */
export async function refuseWhileServing(client: PoolClient, schema: string): Promise<void> {
  const { rowCount } = await client.query(SERVING(schema), [PROJECTION]);
  if (rowCount !== 0) throw new Error('payments-service still runs: stop all its instances, then rebuild again');
}

/**
 * Takes back what is known of events that the log has lost, in the transaction that switches the tables: the checkpoint
 * goes back to that of the rebuilt tables, and answers that name a lost payment are removed, which a replay would repeat.
 * A request that was not answered keeps its row: a retry goes on with it under the same ids.
 */
export async function setBackToLog(client: PoolClient, { environment, rebuilt, say }: SetBack): Promise<void> {
  const { schema } = ENVIRONMENT_STORAGE[environment];
  await refuseWhileServing(client, schema);
  await setCheckpoint(client, schema, await readCheckpointWithEvent(client, rebuilt));
  const { rowCount } = await client.query(
    `delete from ${schema}.idempotency_keys k where k.answer is not null
       and not exists (select from ${schema}.payments p where p.id = k.payment_id)`,
  );
  // Its answer may tell of an end that the log lost: a replay goes on with it under the same ids.
  await client.query(
    `update ${schema}.idempotency_keys k set answer = null from ${schema}.payments p
     where p.id = k.payment_id and p.status = 'pending' and k.answer is not null`,
  );
  say(`the checkpoint goes back with the log; ${rowCount ?? 0} idempotency keys of lost payments are removed`);
}
