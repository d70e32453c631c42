import { parseArgs } from 'node:util';
import { LIMITS } from '@settle/config';
import { createLogger } from '@settle/observability';
import { createPool } from '@settle/postgres';
import { Clock } from '../clock.js';
import { READ_MODEL_NAMES, isReadModelName, type ReadModelName } from '../projections/read-models.js';
import { listReadModels } from './list-read-models.js';
import { rebuildReadModels, type RebuildReport } from './rebuild.js';
import { DONE, FOUND, runCommand, say, type CommandPlace } from './run-command.js';
import type { TableComparison, TableSums } from './table-comparison.js';

const LIVE = 'public';

const USAGE = `npm run projections
       npm run projections -- rebuild <${READ_MODEL_NAMES.join('|')}|all>... [--accept-differences]`;

/** What the command line asks for: null, a list. Errors: how it is written. */
function readOrder(): { models: ReadModelName[]; acceptsDifferences: boolean } | null {
  const options = { 'accept-differences': { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [action, ...names] = positionals;
  if (action === undefined) return null;
  const models = names.includes('all') ? READ_MODEL_NAMES : names.filter(isReadModelName);
  const isRead = action === 'rebuild' && models.length > 0 && models.length >= names.length;
  if (!isRead) throw new Error(`"${positionals.join(' ')}" is not understood. Write\n       ${USAGE}`);
  return { models: [...new Set(models)], acceptsDifferences: values['accept-differences'] };
}

async function list({ store, databaseUrl }: CommandPlace): Promise<number> {
  const { poolConnections: max, statementMs: statementTimeoutMs } = LIMITS.operators;
  const pool = createPool(databaseUrl, { max, name: 'payments-projections-list', statementTimeoutMs });
  try {
    say(await listReadModels(store, pool, LIVE));
  } finally {
    await pool.end();
  }
  return DONE;
}

function tellOf({ comparisons, comparedAt, switchedAt }: RebuildReport): number {
  const sums = ({ rows, cents }: TableSums) =>
    [`${rows} rows`, ...Object.entries(cents).map(([column, sum]) => `${column} ${sum}`)].join(', ');
  const line = ({ table, live, rebuilt, differences }: TableComparison) =>
    `${table}: live ${sums(live)}; rebuilt ${sums(rebuilt)}; ${differences} rows differ`;
  for (const comparison of comparisons) say(`at position ${comparedAt}, ${line(comparison)}`);
  const first = comparisons.find((comparison) => comparison.first !== null)?.first ?? null;
  if (first !== null) say(`first difference: ${first}`);
  if (switchedAt === null) {
    say('Not switched, the live read models are as they were. To switch all the same: --accept-differences');
    return FOUND;
  }
  say(`Switched at position ${switchedAt}; the old tables are gone`);
  return DONE;
}

await runCommand('projections', async (place) => {
  const order = readOrder();
  if (order === null) return list(place);
  const { store, databaseUrl } = place;
  const logger = createLogger({ level: 'warn', service: 'projections' });
  const parts = { store, databaseUrl, clock: new Clock(), logger, say };
  return tellOf(await rebuildReadModels(parts, { ...order, schema: LIVE }));
});
