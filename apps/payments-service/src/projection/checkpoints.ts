import type { ClientBase } from 'pg';

/** Name of the projection's checkpoint and lease. */
export const PROJECTION = 'ledger';

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
