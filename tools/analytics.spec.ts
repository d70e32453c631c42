import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { ANALYTICS, pythonPath } from './python-environment.mjs';

const project = path.resolve(import.meta.dirname, '../docs/analytics');
const RUN_TIMEOUT_MS = 180_000;

/** Runs a module of Python in the project, which must succeed. */
async function python(args: readonly string[]): Promise<void> {
  const options = { cwd: project, env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } };
  const run = promisify(execFile)(pythonPath(ANALYTICS) ?? 'python3', ['-m', ...args], options);
  await run.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(stdout + stderr);
  });
}

// On a machine without the packages of the recipes, npm test leaves this file out and says so.
describe('the recipes for analysts on the sample', () => {
  it.each([
    ['format', ['ruff', 'format', '--check', '--no-cache', '.']],
    ['lint', ['ruff', 'check', '--no-cache', '.']],
    ['specs', ['pytest', '-q', '-p', 'no:cacheprovider']],
  ])(
    'given their sources, when their %s are checked, then they are right',
    async (_, args) => {
      await python(args);
    },
    RUN_TIMEOUT_MS,
  );
});
