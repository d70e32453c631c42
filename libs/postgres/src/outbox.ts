import { LIMITS } from '@settle/config';
import type { EventContract } from '@settle/contracts';
import { keptFor, type Metrics } from '@settle/observability';
import type { Pool } from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';

/** Channel that wakes the publisher when a transaction with new rows commits. Channels belong to one database. */
export const OUTBOX_CHANNEL = 'outbox';

/** Creates the table `outbox` for the events that a service has committed but not published yet. */
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

/** Reverts `createOutboxTable`. */
export async function dropOutboxTable(runner: QueryRunner): Promise<void> {
  await runner.query('drop table outbox');
}

/**
 * Adds an event to the transaction of `manager`. It is published only after that transaction commits. The events of a
 * key are published in the order of their row ids, so the caller must hold a lock on the entity that the key identifies.
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

/** Registers the number of unpublished rows as a metric, counted at most every `countEveryMs`. */
export function registerOutboxMetrics(metrics: Metrics, pool: Pool): void {
  const { countEveryMs, rowsCounted } = LIMITS.metrics;
  const count = async () => {
    const { rows } = await pool.query<{ rows: number }>({ ...COUNT_ROWS, values: [rowsCounted] });
    return rows[0]?.rows ?? null;
  };
  metrics.register('outboxRows', keptFor(countEveryMs, count));
}
