import type { Alarm } from './alarm.js';
import { FUNDING_ALARMS } from './funding-alarms.js';
import { LEDGER_ALARMS } from './ledger-alarms.js';
import { PROCESS_ALARMS } from './process-alarms.js';
import { PROVIDER_ALARMS } from './provider-alarms.js';
import { REQUEST_ALARMS } from './request-alarms.js';
import { STORE_ALARMS } from './store-alarms.js';

/** Every alarm, by the name of its group. The rules of Prometheus and `docs/monitoring.md` are generated from this table. */
export const ALARMS: Readonly<Record<string, readonly Alarm[]>> = {
  processes: PROCESS_ALARMS,
  requests: REQUEST_ALARMS,
  stores: STORE_ALARMS,
  ledger: LEDGER_ALARMS,
  funding: FUNDING_ALARMS,
  provider: PROVIDER_ALARMS,
};
