/** Makes a checkout ready to run: packages as the lockfile has them, and everything built. Runs before start and test. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly, runTarget } from './run-nx.mjs';

const root = join(import.meta.dirname, '..');

function isNodeNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major === 20) return minor >= 19;
  if (major === 22) return minor >= 13;
  return major === 24 ? minor >= 11 : major > 24;
}

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

/** By the npm that runs this script, else by the one on the path. */
function install() {
  const args = ['ci', '--no-audit', '--no-fund'];
  const npm = process.env.npm_execpath;
  if (npm?.endsWith('.js')) return runQuietly(process.execPath, [npm, ...args]);
  return process.platform === 'win32' ? runQuietly('cmd', ['/c', 'npm', ...args]) : runQuietly('npm', args);
}

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

if (!isNodeNewEnough()) {
  process.stderr.write(`Settle needs Node 20.19, 22.13, 24.11 or newer; this is ${process.versions.node}\n`);
  process.exit(1);
}
if (!isInstalled()) await step('Installing packages', install);
await step('Building', () => runTarget('build'));
