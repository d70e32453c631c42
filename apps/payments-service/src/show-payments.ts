import { LIMITS } from '@settle/config';
import { keptFor, type Metrics, type Read, type Reading } from '@settle/observability';
import type { Pool } from 'pg';
import type { Ledger } from './ledger.js';
import type { Publisher } from './publishing/publisher.js';

const { countEveryMs, moneyEveryMs, rowsCounted } = LIMITS.metrics;
const MS_PER_SECOND = 1_000;

const COUNT_WORK = {
  name: 'count-open-work',
  text: `
    select acts.act, (select count(*)::int from (select from open_work w where w.act = acts.act limit $1) counted) as rows
    from (values ('finish'), ('expire')) as acts (act)`,
};
/** By the index of held pays: as long as these are, whatever has been paid before. */
const SUM_HELD = {
  name: 'sum-held-pays',
  text: `select coalesce(sum(amount_cents + fee_cents), 0)::float8 as cents
    from payments where status = 'pending' and mode = 'hold'`,
};

export interface ShownPayments {
  readonly ledger: Pick<Ledger, 'projector' | 'worker'>;
  readonly pool: Pool;
  /** Absent: nothing is published. */
  readonly publisher: Publisher | undefined;
}

/** Shows how far projection, publishing and worker are. What takes a query only the projecting instance is asked. */
export function showPayments(metrics: Metrics, { ledger, pool, publisher }: ShownPayments): void {
  const { projector, worker } = ledger;
  metrics.show('projectionActive', () => Number(projector.progress().isProjecting));
  metrics.show('projectionPosition', () => projector.progress().position);
  metrics.show('projectionBehindSeconds', () => projector.progress().behindMs / MS_PER_SECOND);
  metrics.show('workerRows', () => Object.entries(worker.taken).map(([act, rows]) => [{ act }, rows] as const));
  const whereProjected = (read: Read): Read => {
    return () => (projector.progress().isProjecting ? read() : null);
  };
  metrics.show('workerOpen', whereProjected(keptFor(countEveryMs, () => openWork(pool))));
  metrics.show('moneyHeld', whereProjected(keptFor(moneyEveryMs, () => heldCents(pool))));
  if (publisher === undefined) return;
  metrics.show('publishingActive', () => Number(publisher.progress().isPublishing));
  metrics.show('publishingPosition', () => publisher.progress().position);
  metrics.show('publishingBehindSeconds', () => publisher.progress().behindMs / MS_PER_SECOND);
}

async function openWork(pool: Pool): Promise<Reading> {
  const { rows } = await pool.query<{ act: string; rows: number }>({ ...COUNT_WORK, values: [rowsCounted] });
  return rows.map(({ act, rows: count }) => [{ act }, count] as const);
}

async function heldCents(pool: Pool): Promise<Reading> {
  const { rows } = await pool.query<{ cents: number }>(SUM_HELD);
  return rows[0]?.cents ?? null;
}
