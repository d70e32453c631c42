import type { PoolClient } from 'pg';
import { storeOf } from '../storage/environments.js';
import { PROJECTION } from '../projection/checkpoints.js';
import { hasLostEvents, readCheckpointWithEvent, setCheckpoint } from '../projection/lost-events.js';
import { PROJECTIONS, READ_MODEL_NAMES } from '../read-models/registry.js';
import { restartChanges } from '../provider/change-cursor.js';
import { rebuildSchemaOf } from './orphaned-schemas.js';
import type { RebuildParts } from './rebuilt-projection.js';

/**
 * Returns the end of the log if it has lost events that the live read models have; otherwise null.
 * Errors, if it has: payments-service runs, or not all read models are to be replaced.
 */
export async function lostLogEnd(client: PoolClient, parts: RebuildParts): Promise<number | null> {
  const { store, environment, schema, models, say } = parts;
  const checkpoint = await readCheckpointWithEvent(client, { schema });
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

/** Error: an instance of payments-service is connected. Setting back would lose the payments that it makes. */
async function refuseWhileServing(client: PoolClient, schema: string): Promise<void> {
  // The session that writes the read models; of another role's session only the process id is visible.
  const { rowCount } = await client.query(
    `select from ${schema}.checkpoints c join pg_stat_activity a on a.pid = c.backend_pid
     where c.name = $1 and coalesce(a.backend_start = c.backend_start, true)`,
    [PROJECTION],
  );
  if (rowCount !== 0) throw new Error('payments-service still runs: stop all its instances, then rebuild again');
}

/**
 * Sets back what depends on events that the log has lost, in the transaction of the cutover: the checkpoint, and the
 * idempotency keys with responses that name a lost payment, which a replay would repeat. A request without a response keeps
 * its row: a retry resumes it under the same ids.
 */
export async function setBackToLog(client: PoolClient, { environment, schema, say }: RebuildParts): Promise<void> {
  await refuseWhileServing(client, schema);
  for (const { name } of PROJECTIONS) {
    const checkpoint = await readCheckpointWithEvent(client, { schema: rebuildSchemaOf(schema), name });
    await setCheckpoint(client, { schema, name }, checkpoint);
  }
  const { rowCount } = await client.query(
    `delete from ${schema}.idempotency_keys k where k.answer is not null
       and not exists (select from ${schema}.payments p where p.id = k.payment_id)`,
  );
  // The response may name an end that the log has lost: a retry resumes the request under the same ids.
  await client.query(
    `update ${schema}.idempotency_keys k set answer = null from ${schema}.payments p
     where p.id = k.payment_id and p.status = 'pending' and k.answer is not null`,
  );
  if (environment === 'live') await restartChanges(client, schema);
  say(`the checkpoint goes back with the log; ${rowCount ?? 0} idempotency keys of lost payments are removed`);
}
