import { spawn } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/**
 * Runs a program in the root folder and keeps its output; resolves with that, or rejects with an error whose
 * `output` is that.
 */
export function runQuietly(program, args, env = {}) {
  const child = spawn(program, args, { cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output);
      else reject(Object.assign(new Error(`${args[0]} ended with ${signal ?? code}`), { output }));
    });
  });
}

/** Runs npm quietly: the one that runs this script, else the one on the path. */
export function runNpm(args) {
  const npm = process.env.npm_execpath;
  if (npm?.endsWith('.js')) return runQuietly(process.execPath, [npm, ...args]);
  return process.platform === 'win32' ? runQuietly('cmd', ['/c', 'npm', ...args]) : runQuietly('npm', args);
}

/**
 * Runs an Nx target in every project, without a background process; results are kept inside the checkout. The
 * `output` of a failure is that of the projects that failed.
 */
export async function runTarget(target) {
  const args = [join(root, 'node_modules/nx/dist/bin/nx.js'), 'run-many', '-t', target, '--outputStyle=static'];
  try {
    return await runQuietly(process.execPath, args, {
      NX_DAEMON: 'false',
      NX_TUI: 'false',
      NX_CACHE_DIRECTORY: process.env.NX_CACHE_DIRECTORY ?? join(root, '.nx', 'cache'),
      FORCE_COLOR: '0',
    });
  } catch (error) {
    const tasks = (error.output ?? '').split(/^(?=> nx run )/m);
    const failed = tasks.filter((task) => task.startsWith('> nx run ') && /error|non-zero/i.test(task));
    if (failed.length > 0) error.output = failed.join('');
    throw error;
  }
}
