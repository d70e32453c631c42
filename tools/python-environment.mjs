/** The Python environments of specs and tools: folders of the checkout with the packages that a file of requirements names. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const note = (folder) => join(folder, 'installed.txt');
const pythonIn = (folder) => join(folder, 'bin/python');

/** The packages with which the client library `sdks/python` is generated, checked, tested and built. */
export const CLIENT = {
  folder: join(root, '.python'),
  requirements: ['sdks/python/requirements-dev.txt'],
  oldest: [3, 10],
};

/** The packages of the recipes for analysts, and those that check them. */
export const ANALYTICS = {
  folder: join(root, '.python-analytics'),
  requirements: ['docs/analytics/requirements.txt', 'docs/analytics/requirements-specs.txt'],
  oldest: [3, 11],
};

/** An index that cannot be reached ends the installation within a minute or two. */
const WITHIN_BOUNDS = ['--timeout', '20', '--retries', '2'];

const textsOf = ({ requirements }) => requirements.map((file) => readFileSync(join(root, file), 'utf8')).join('');

/** Returns the path of an environment's interpreter, or null if it does not have the packages that are required now. */
export function pythonPath({ folder, ...environment } = CLIENT) {
  const isCurrent = existsSync(note(folder)) && readFileSync(note(folder), 'utf8') === textsOf(environment);
  return isCurrent ? pythonIn(folder) : null;
}

/** Makes an environment, unless it is current. Needs a `python3` with `venv`. @returns an error message, or null */
export function preparePython(environment = CLIENT) {
  const { folder, requirements, oldest } = environment;
  if (pythonPath(environment) !== null) return null;
  const isNewEnough = `import sys; sys.exit(sys.version_info < (${oldest.join(', ')}))`;
  if (spawnSync('python3', ['-c', isNewEnough]).status !== 0)
    return `Python ${oldest.join('.')} or newer is not installed`;
  process.stdout.write(`Installing the packages of ${dirname(requirements[0])} in ${folder.slice(root.length + 1)}\n`);
  rmSync(folder, { recursive: true, force: true });
  const files = requirements.flatMap((file) => ['-r', join(root, file)]);
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...WITHIN_BOUNDS, ...files];
  for (const [program, args] of [
    ['python3', ['-m', 'venv', folder]],
    [pythonIn(folder), install],
  ]) {
    const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
    if (status !== 0) return `${program} ${args.slice(0, 3).join(' ')} failed: ${error?.message ?? stderr.trim()}`;
  }
  writeFileSync(note(folder), textsOf(environment));
  return null;
}
