import type { ClientBase } from 'pg';
import { LEDGER_PROJECTION } from '../read-models/ledger/ledger-projection.js';
import { PROJECTIONS } from '../read-models/registry.js';

/** Name of the checkpoint of the projection for which responses wait, and of the lease of all projections. */
export const PROJECTION = LEDGER_PROJECTION.name;

/** Version of rows that no version of a projection has written as a whole. */
export const UNKNOWN_VERSION = 0;

/**
 * Returns the log position that a projection has reached; 0 before its first event.
 * @param name of the projection
 * @param schema of its tables; absent: by the search path
 */
export async function readCheckpoint(
  database: Pick<ClientBase, 'query'>,
  name: string,
  schema?: string,
): Promise<number> {
  const routine = schema === undefined ? 'checkpoint_position' : `${schema}.checkpoint_position`;
  const { rows } = await database.query<{ position: string }>({
    name: `read-${routine}`,
    text: `select ${routine}($1) as position`,
    values: [name],
  });
  return Number(rows[0]?.position);
}

/**
 * Creates the checkpoints that no instance has claimed yet, as a claim does. Without its row a checkpoint can neither be
 * locked nor set.
 * @param schema trusted name
 */
export async function createMissingCheckpoints(database: Pick<ClientBase, 'query'>, schema: string): Promise<void> {
  for (const { name, version } of PROJECTIONS) {
    await database.query(
      `insert into ${schema}.checkpoints (name, position, fence, version) values ($1, 0, 0, $2) on conflict do nothing`,
      [name, version],
    );
  }
}
