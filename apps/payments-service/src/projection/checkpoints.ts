import type { ClientBase } from 'pg';
import { LEDGER_PROJECTION } from '../read-models/ledger/ledger-projection.js';

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
