import { LIMITS } from '@settle/config';
import type { Environment } from '@settle/contracts';
import type { Metrics } from '@settle/observability';
import { createPool } from '@settle/postgres';
import type { Pool } from 'pg';
import { ENVIRONMENT_STORAGE } from './environments.js';

const { poolConnections, besideProjections, sandboxConnections, besideSandboxProjections } = LIMITS.payments;

/** The name of the connections that only a running payments-service has. */
export const SERVING_CONNECTIONS = 'payments-projections';

/** Connection pools of one environment. */
export interface LedgerPools {
  readonly pool: Pool;
  /** Connections of the projections alone: they must not wait behind queries. */
  readonly projectionPool: Pool;
}

/**
 * Opens the pools of each environment, which see its tables alone. End them with `pool.end()`.
 * @param projections number of projections; each keeps a connection, and a lease without one is lost
 */
export function openPools(
  url: string,
  projections: number,
  metrics?: Metrics,
): Readonly<Record<Environment, LedgerPools>> {
  const of = (environment: Environment, name: string, max: number) =>
    createPool(url, { schemas: [ENVIRONMENT_STORAGE[environment].schema], name, max, metrics });
  return {
    live: {
      pool: of('live', 'payments-service', poolConnections),
      projectionPool: of('live', SERVING_CONNECTIONS, projections + besideProjections),
    },
    sandbox: {
      pool: of('sandbox', 'payments-sandbox', sandboxConnections),
      projectionPool: of('sandbox', 'payments-sandbox-projections', projections + besideSandboxProjections),
    },
  };
}
