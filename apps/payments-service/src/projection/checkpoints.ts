import type { ClientBase } from 'pg';

/** Names the projection's checkpoint and its lease. */
export const PROJECTION = 'ledger';

/**
 * Returns how far a projection has read, in the position of the event store; 0 for one that has not begun.
 * @param name of the projection
 * @param schema where its tables are; absent: in the search path
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
