import type { Pool, PoolClient } from 'pg';

/**
 * Runs `work` in a transaction on a connection of its own and commits it. Errors: those of the database and of `work`, after
 * which nothing of it is stored; of a commit whose answer was lost that is not known.
 */
export async function inTransaction<Result>(
  pool: Pick<Pool, 'connect'>,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    // To close a connection that cannot roll back ends its transaction as well.
    const isBroken = await client.query('rollback').then(
      () => false,
      () => true,
    );
    client.release(isBroken);
    throw error;
  }
}
