import { CoalescingLoader } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { ENVIRONMENTS, type Environment } from '@settle/contracts';
import { keptFor, type Metrics, type Read, type Reading } from '@settle/observability';
import type { Pool } from 'pg';
import type { Ledger } from './ledger/ledger.js';
import { sumBelowZero, sumWaitingMoney, type WaitingSum } from './read-models/funding/waiting-money.js';
import type { Publisher } from './public-events/publisher.js';

const { countEveryMs, moneyEveryMs, rowsCounted } = LIMITS.metrics;
/** They share one query. */
const METRICS_OF_WAITING = 3;
const MS_PER_SECOND = 1_000;
const US_PER_MS = 1_000;
const US_PER_SECOND = 1_000_000;

const COUNT_WORK = {
  name: 'count-open-work',
  text: `
    select acts.act, (select count(*)::int from (select from open_work w where w.act = acts.act limit $1) counted) as rows
    from (values ('finish'), ('expire')) as acts (act)`,
};
/** By the index of held pays: its cost depends on their number alone. */
const SUM_HELD = {
  name: 'sum-held-pays',
  text: `select coalesce(sum(amount_cents + fee_cents), 0)::float8 as cents
    from payments where status = 'pending' and mode = 'hold'`,
};

const COUNT_HINTS = {
  name: 'count-unhandled-hints',
  text: 'select count(*)::int as rows from (select from provider_hints where handled_at is null limit $1) counted',
};

export interface PaymentsMetricsSources {
  readonly ledgers: Readonly<Record<Environment, Pick<Ledger, 'projector' | 'worker' | 'changeReaders'>>>;
  readonly pools: Readonly<Record<Environment, { readonly pool: Pool }>>;
  /** Absent if this process publishes nothing. */
  readonly publisher: Publisher | undefined;
}

/**
 * Registers the metrics of projection, worker and publishing. Only the instance that writes the read models reports values
 * that need a query.
 */
export function registerPaymentsMetrics(metrics: Metrics, { ledgers, pools, publisher }: PaymentsMetricsSources): void {
  for (const environment of ENVIRONMENTS) {
    registerLedgerMetrics(metrics, environment, ledgers[environment], pools[environment].pool);
  }
  registerProviderMetrics(metrics, ledgers.live, pools.live.pool);
  if (publisher === undefined) return;
  metrics.register('publishingActive', () => Number(publisher.progress().isPublishing));
  metrics.register('publishingPosition', () => publisher.progress().position);
  metrics.register('publishingBehindSeconds', () => publisher.progress().behindMs / MS_PER_SECOND);
}

function registerLedgerMetrics(
  metrics: Metrics,
  environment: Environment,
  { projector, worker }: Pick<Ledger, 'projector' | 'worker'>,
  pool: Pool,
): void {
  const of = (value: number): Reading => [[{ environment }, value]];
  metrics.register('projectionActive', () => of(Number(projector.progress().isProjecting)));
  metrics.register('projectionPosition', () => of(projector.progress().position));
  metrics.register('projectionBehindSeconds', () => of(projector.progress().behindMs / MS_PER_SECOND));
  metrics.register('projectionReplacedTexts', () => of(projector.progress().replacedTexts));
  metrics.register('workerRows', () =>
    Object.entries(worker.startedRows).map(([act, rows]) => [{ environment, act }, rows] as const),
  );
  const whereProjected = (read: Read): Read => {
    return () => (projector.progress().isProjecting ? read() : null);
  };
  metrics.register('workerOpen', whereProjected(keptFor(countEveryMs, () => openWork(pool, environment))));
  registerFundingMetrics(metrics, environment, { pool, whereProjected });
  metrics.register('moneyHeld', whereProjected(keptFor(moneyEveryMs, async () => of(await heldCents(pool)))));
}

/** Registers nothing where no provider is set. */
function registerProviderMetrics(
  metrics: Metrics,
  { projector, changeReaders }: PaymentsMetricsSources['ledgers']['live'],
  pool: Pool,
): void {
  if (changeReaders === null) return;
  const { changes } = changeReaders;
  metrics.register('providerChangesBehindSeconds', () =>
    changes.behindMs === null ? null : changes.behindMs / MS_PER_SECOND,
  );
  const read = keptFor(countEveryMs, () => countHints(pool));
  metrics.register('providerHintsUnhandled', () => (projector.progress().isProjecting ? read() : null));
}

async function countHints(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ rows: number }>({ ...COUNT_HINTS, values: [rowsCounted] });
  return rows[0]?.rows ?? 0;
}

/** One scrape asks for the metrics together. */
function registerFundingMetrics(
  metrics: Metrics,
  environment: Environment,
  { pool, whereProjected }: { readonly pool: Pool; readonly whereProjected: (read: Read) => Read },
): void {
  const pending = new CoalescingLoader(METRICS_OF_WAITING, async (askers: readonly string[]) => {
    const sums = await sumWaitingMoney(pool, rowsCounted);
    return askers.map(() => sums);
  });
  const valueOf = (read: (sum: WaitingSum) => number) =>
    whereProjected(
      keptFor(moneyEveryMs, async () => {
        const sums = (await pending.load(environment)) ?? [];
        return sums.map((sum) => [{ environment, kind: sum.kind, waits_for: sum.waitsFor }, read(sum)] as const);
      }),
    );
  const nowUs = () => Date.now() * US_PER_MS;
  metrics.register(
    'fundingPending',
    valueOf(({ rows }) => rows),
  );
  metrics.register(
    'fundingPendingCents',
    valueOf(({ cents }) => cents),
  );
  metrics.register(
    'fundingPendingSeconds',
    valueOf(({ sinceUs }) => (sinceUs === null ? 0 : Math.max(0, nowUs() - sinceUs) / US_PER_SECOND)),
  );
  metrics.register(
    'moneyBelowZero',
    whereProjected(keptFor(moneyEveryMs, async () => [[{ environment }, await sumBelowZero(pool)]])),
  );
}

async function openWork(pool: Pool, environment: Environment): Promise<Reading> {
  const { rows } = await pool.query<{ act: string; rows: number }>({ ...COUNT_WORK, values: [rowsCounted] });
  return rows.map(({ act, rows: count }) => [{ environment, act }, count] as const);
}

async function heldCents(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ cents: number }>(SUM_HELD);
  return rows[0]?.cents ?? 0;
}
