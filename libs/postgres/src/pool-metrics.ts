import type { Metrics } from '@settle/observability';
import type { Pool } from 'pg';

/** Registers the metrics of a pool: idle and used connections, and waiting requests. */
export function registerPoolMetrics(
  metrics: Metrics,
  name: string,
  pool: Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>,
): void {
  metrics.register('poolConnections', () => [
    [{ pool: name, state: 'idle' }, pool.idleCount],
    [{ pool: name, state: 'in_use' }, pool.totalCount - pool.idleCount],
  ]);
  metrics.register('poolWaiting', () => [[{ pool: name }, pool.waitingCount]]);
}
