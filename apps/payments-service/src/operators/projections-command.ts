import { parseArgs } from 'node:util';
import { SettingsError } from '@settle/config';
import type { Environment } from '@settle/contracts';
import { createLogger } from '@settle/observability';
import { Clock } from '../storage/clock.js';
import { ENVIRONMENT_STORAGE, storeOf } from '../storage/environments.js';
import { READ_MODEL_NAMES } from '../read-models/registry.js';
import { listReadModels } from './list-read-models.js';
import { rebuildReadModels, type RebuildReport } from './rebuild.js';
import { DONE, FOUND, runCommand, say } from './run-command.js';
import type { TableComparison, TableSums } from './table-comparison.js';

const USAGE = `npm run projections
       npm run projections -- rebuild <${READ_MODEL_NAMES.join('|')}|all>... [--accept-differences]
with --sandbox for the read models of the sandbox`;

interface Order {
  readonly environment: Environment;
  /** Null: list the read models. */
  readonly rebuild: { readonly models: readonly string[]; readonly acceptsDifferences: boolean } | null;
}

/** Reads the command line. Error: the usage. */
function readOrder(): Order {
  const flag = { type: 'boolean', default: false } as const;
  const options = { 'accept-differences': flag, sandbox: flag };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [action, ...names] = positionals;
  const environment = values.sandbox ? 'sandbox' : 'live';
  if (action === undefined) return { environment, rebuild: null };
  const models = names.includes('all') ? READ_MODEL_NAMES : names.filter((name) => READ_MODEL_NAMES.includes(name));
  const isRead = action === 'rebuild' && models.length > 0 && models.length >= names.length;
  if (!isRead) throw new Error(`"${positionals.join(' ')}" is not understood. Write\n       ${USAGE}`);
  const acceptsDifferences = values['accept-differences'];
  return { environment, rebuild: { models: [...new Set(models)], acceptsDifferences } };
}

function report({ comparisons, comparedAt, switchedAt }: RebuildReport): number {
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

await runCommand('projections', async ({ store, settings, openPool, openTexts }) => {
  const { environment, rebuild } = readOrder();
  if (rebuild === null) {
    say(
      await listReadModels(storeOf(environment, store), openPool(environment), ENVIRONMENT_STORAGE[environment].schema),
    );
    return DONE;
  }
  const { migrationsDatabaseUrl: databaseUrl } = settings;
  if (databaseUrl === null) {
    throw new SettingsError(['MIGRATIONS_DATABASE_URL: a rebuild changes tables, as the role that owns them']);
  }
  const logger = createLogger({ level: 'warn', service: 'projections' });
  const parts = { store, texts: await openTexts(), databaseUrl, clock: new Clock(), logger, say };
  return report(await rebuildReadModels(parts, { ...rebuild, environment }));
});
