import { LIMITS } from '@settle/config';
import type { ClientBase } from 'pg';

/** Runs work, all of whose reads over one connection are of the same moment. */
export type AtOneMoment = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Each time with a snapshot of its own. Rejects as the work does; the connection is then to be closed. */
export function momentsOf(client: ClientBase): AtOneMoment {
  return async (work) => {
    await beginReading(client);
    const result = await work();
    await client.query('commit');
    return result;
  };
}

/** Begins a transaction that reads as of one moment; PostgreSQL ends it when too long passes between two statements. */
export async function beginReading(client: ClientBase): Promise<void> {
  await client.query('begin isolation level repeatable read read only');
  await client.query(`set local idle_in_transaction_session_timeout = ${LIMITS.operators.idleInTransactionMs}`);
}
