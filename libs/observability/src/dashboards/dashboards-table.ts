import type { Dashboard } from './grafana.js';
import { BUSINESS, SERVICE_OVERVIEW } from './service-dashboards.js';
import { KAFKA, LEDGER, POSTGRESQL } from './store-dashboards.js';

/** Every dashboard. `deploy/grafana` is generated from this table. */
export const DASHBOARDS: readonly Dashboard[] = [SERVICE_OVERVIEW, BUSINESS, LEDGER, KAFKA, POSTGRESQL];
