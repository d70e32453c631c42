import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { BookTables } from './public-books.fixture.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const RECIPE = join(ROOT, 'docs/analytics/to_duckdb.py');
/** Where `npm test` installs the packages of the recipe. */
const PYTHON = join(ROOT, '.python-analytics/bin/python');
const ACCOUNTS = `import duckdb, json, sys
rows = duckdb.connect(sys.argv[1]).sql('select account, cents from balances order by account').fetchall()
print(json.dumps(rows))`;
const OUTPUT_BYTES = 64 * 1_048_576;

const run = promisify(execFile);

/** The balances that the documented Python recipe computes from the public topics, in a file that each run continues. */
export class RecipeBalances {
  #folder = '';

  /** Returns null where the recipe or its packages are not installed. */
  static async begin(): Promise<RecipeBalances | null> {
    if (!existsSync(RECIPE) || !existsSync(PYTHON)) return null;
    const recipe = new RecipeBalances();
    recipe.#folder = await mkdtemp(join(tmpdir(), 'settle-recipe-'));
    return recipe;
  }

  /** Reads up to the newest watermark and returns every account. */
  async read(brokers: readonly string[]): Promise<BookTables['accounts']> {
    const file = join(this.#folder, 'settle.duckdb');
    await run(PYTHON, [RECIPE, file], { env: { ...process.env, KAFKA_BROKERS: brokers.join() } });
    const { stdout } = await run(PYTHON, ['-c', ACCOUNTS, file], { maxBuffer: OUTPUT_BYTES });
    return JSON.parse(stdout) as BookTables['accounts'];
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
