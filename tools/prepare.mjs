/**
 * Makes a checkout ready to run: packages as the lockfile has them, the runtime among them, and everything built. Runs
 * before start and test.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildAndNote, isBuilt } from './built.mjs';
import { runNpm, runTarget } from './run-nx.mjs';
import { lacksRuntime, useRuntime } from './runtime.mjs';

const root = join(import.meta.dirname, '..');

/** npm notes what it installed when it has finished; what the lockfile adds to that, other systems' packages aside, is missing. */
function isInstalled() {
  const note = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(note)) return false;
  const installed = JSON.parse(readFileSync(note, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(([path, { version, optional, link }]) => {
    if (!path.startsWith('node_modules/')) return true;
    const found = installed[path];
    return found === undefined ? optional === true : link === true || found.version === version;
  });
}

/** npm may itself run on a Node that is too old for what it installs; the runtime among it is not. */
const install = () => runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error']);

async function step(name, work) {
  const startedAt = performance.now();
  process.stdout.write(`${name} ... `);
  try {
    await work();
    process.stdout.write(`${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  } catch (error) {
    process.stdout.write('failed\n');
    process.stderr.write(`${error.output ?? ''}${name} failed: ${error.message}\n`);
    process.exit(1);
  }
}

if (!isInstalled() || lacksRuntime(root)) await step('Installing packages', install);
await useRuntime(root);
if (!isBuilt(root)) await step('Building', () => buildAndNote(root, () => runTarget('build')));
