/**
 * `npm run check`: everything that can be said about the code without running the product. `--without-specs` leaves out
 * the pure specs, for a run that goes on with `npm test`.
 */
import { join } from 'node:path';
import { runQuietly, runTarget } from './run-nx.mjs';

const modules = join(import.meta.dirname, '..', 'node_modules');
const node = (script, ...args) => runQuietly(process.execPath, [join(modules, script), ...args]);
const jest = ['--experimental-vm-modules', '--no-warnings', join(modules, 'jest/bin/jest.js')];

const steps = {
  format: () => node('prettier/bin/prettier.cjs', '--check', '.'),
  lint: async () => {
    await runTarget('lint');
    // Those of tools and of the root are in no project.
    await node('eslint/bin/eslint.js', '**/*.mjs', '--max-warnings', '0');
  },
  types: () => node('typescript7/bin/tsc', '-p', 'tsconfig.json', '--noEmit'),
  // Among them: the printed pages of docs/ are up to date, and each boundary rule bites.
  'pure specs': () => runQuietly(process.execPath, [...jest, '--selectProjects', 'pure']),
};
if (process.argv.includes('--without-specs')) delete steps['pure specs'];

const failed = [];
for (const [name, run] of Object.entries(steps)) {
  const startedAt = performance.now();
  const error = await run().then(
    () => null,
    (reason) => reason,
  );
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${error === null ? 'ok  ' : 'FAIL'} ${name} ${seconds} s\n`);
  if (error === null) continue;
  failed.push(name);
  process.stderr.write(`${error.output ?? error.message}\n`);
}
if (failed.length > 0) {
  process.stderr.write(`Failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
