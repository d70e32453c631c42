import { LIMITS } from '@settle/config';
import type { Environment } from '@settle/contracts';
import type { Metrics } from '@settle/observability';
import { createPool } from '@settle/postgres';
import { LEDGER_PLACES } from './environments.js';
import type { LedgerPools } from '../ledger.js';

const { poolConnections, projectionConnections, sandboxConnections } = LIMITS.payments;

/** Pools of each environment, which find its tables alone. End them with `pool.end()`. */
export function openPools(url: string, metrics?: Metrics): Readonly<Record<Environment, LedgerPools>> {
  const of = (environment: Environment, name: string, max: number) =>
    createPool(url, { schemas: [LEDGER_PLACES[environment].schema], name, max, metrics });
  return {
    live: {
      pool: of('live', 'payments-service', poolConnections),
      projectionPool: of('live', 'payments-projections', projectionConnections),
    },
    sandbox: {
      pool: of('sandbox', 'payments-sandbox', sandboxConnections),
      projectionPool: of('sandbox', 'payments-sandbox-projections', sandboxConnections),
    },
  };
}
