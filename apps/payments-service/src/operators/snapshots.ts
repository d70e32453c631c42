import { LIMITS } from '@settle/config';
import type { ClientBase } from 'pg';

/** Runs work whose reads over one connection share one snapshot. */
export type InSnapshot = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Returns a function that runs each work in a new snapshot. It rejects as the work does; close the connection then. */
export function snapshotsOf(client: ClientBase): InSnapshot {
  return async (work) => {
    await beginSnapshot(client);
    const result = await work();
    await client.query('commit');
    return result;
  };
}

/** Begins a read-only transaction with one snapshot; PostgreSQL ends it if it is idle for too long. */
export async function beginSnapshot(client: ClientBase): Promise<void> {
  await client.query('begin isolation level repeatable read read only');
  await client.query(`set local idle_in_transaction_session_timeout = ${LIMITS.operators.idleInTransactionMs}`);
}
