import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** The folder of the recipes for analysts. */
export const RECIPES = path.join(root, 'docs/analytics');
const PYTHON = path.join(root, '.python-analytics/bin/python');

/** The rows of each table of a DuckDB file of the recipe, or of the Parquet files of the other one. */
const TABLES = `
import json, sys
import duckdb
names = ["events", "payments", "entries", "balances"]
place = sys.argv[1]
if place.endswith(".duckdb"):
    database, froms = duckdb.connect(place, read_only=True), names
else:
    database, froms = duckdb.connect(), [f"read_parquet('{place}/{name}.parquet')" for name in names]
rows = {name: database.execute(f"select * from {source}").fetchall() for name, source in zip(names, froms)}
print(json.dumps(rows, default=str))`;

/** The rows of the tables of a recipe, each row as a list of values. */
export type RecipeTables = Readonly<Record<'events' | 'payments' | 'entries' | 'balances', readonly unknown[][]>>;

/** Runs Python with the packages of the recipes, and returns its output. It must succeed. */
export async function runPython(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = {
    cwd: RECIPES,
    env: { PATH: process.env['PATH'] ?? '', PYTHONDONTWRITEBYTECODE: '1', ...env },
    maxBuffer: 2 ** 28,
  };
  const run = promisify(execFile)(PYTHON, [...args], options);
  const { stdout } = await run.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(stdout + stderr);
  });
  return stdout;
}

/** Returns the tables in a DuckDB file or in a folder of Parquet files. */
export async function readTables(place: string): Promise<RecipeTables> {
  return JSON.parse(await runPython(['-c', TABLES, place])) as RecipeTables;
}
