import { LEDGER_PROJECTION } from './ledger/ledger-projection.js';
import { MONTHLY_ACTIVITY } from './monthly-activity/monthly-activity.js';
import type { Projection } from './projection.js';
import type { Table } from './table.js';

/** Every projection. Projector, rebuild, verification and the list of read models follow it, in each environment. */
export const PROJECTIONS: readonly Projection[] = [LEDGER_PROJECTION, MONTHLY_ACTIVITY];

export const READ_MODELS = PROJECTIONS.flatMap(({ readModels }) => readModels);

export const READ_MODEL_NAMES: readonly string[] = READ_MODELS.map(({ name }) => name);

/** Returns the tables of these read models. */
export function tablesOf(names: readonly string[]): readonly Table[] {
  return READ_MODELS.filter(({ name }) => names.includes(name)).flatMap(({ tables }) => tables);
}

/** Returns the projections that write any of these read models. */
export function projectionsOf(names: readonly string[]): readonly Projection[] {
  return PROJECTIONS.filter(({ readModels }) => readModels.some(({ name }) => names.includes(name)));
}
