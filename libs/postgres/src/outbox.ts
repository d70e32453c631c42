import { LIMITS } from '@settle/config';
import type { EventContract } from '@settle/contracts';
import { keptFor, type Metrics } from '@settle/observability';
import type { Pool } from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';

/** Sent with every row, so that whoever publishes here wakes at the commit. The channel is one database's own. */
export const OUTBOX_CHANNEL = 'outbox';

/** Creates the table `outbox`: what a service has decided to tell the others and has not told them yet. */
export async function createOutboxTable(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table outbox (
      id bigint generated always as identity primary key,
      topic text not null,
      pattern text not null,
      key text not null,
      payload json,
      created_at timestamptz not null default now()
    )`);
  await runner.query('create index outbox_by_key on outbox (key)');
}

/** Undoes `createOutboxTable`. */
export async function dropOutboxTable(runner: QueryRunner): Promise<void> {
  await runner.query('drop table outbox');
}

/**
 * Adds an event to the transaction of `manager`: it goes out if, and only after, that transaction commits.
 * Events of one key go out in the order of their ids, so the caller holds a lock on what the key names.
 */
export async function addToOutbox<Payload extends object>(
  manager: EntityManager,
  contract: EventContract<Payload>,
  key: string,
  payload: Payload | null,
): Promise<void> {
  await manager.query(
    `with added as (insert into outbox (topic, pattern, key, payload) values ($1, $2, $3, $4))
     select pg_notify('${OUTBOX_CHANNEL}', '')`,
    [contract.topic, contract.pattern, key, payload && JSON.stringify(payload)],
  );
}

const COUNT_ROWS = {
  name: 'count-outbox-rows',
  text: 'select count(*)::int as rows from (select from outbox limit $1) waiting',
};

/** Shows how many rows wait, counted now and then. */
export function showOutbox(metrics: Metrics, pool: Pool): void {
  const { countEveryMs, rowsCounted } = LIMITS.metrics;
  const count = async () => {
    const { rows } = await pool.query<{ rows: number }>({ ...COUNT_ROWS, values: [rowsCounted] });
    return rows[0]?.rows ?? null;
  };
  metrics.show('outboxRows', keptFor(countEveryMs, count));
}
