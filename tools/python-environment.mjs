/** The Python environment in which the client library `sdks/python` is generated, checked, tested and built: `.python`. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const folder = join(root, '.python');
const note = join(folder, 'installed.txt');
const requirementsFile = join(root, 'sdks/python/requirements-dev.txt');

/** An index that cannot be reached ends the installation within a minute or two. */
const WITHIN_BOUNDS = ['--timeout', '20', '--retries', '2'];

/** Returns the path of its interpreter, or null if it does not have what `requirements-dev.txt` names. */
export function pythonPath() {
  const isCurrent = existsSync(note) && readFileSync(note, 'utf8') === readFileSync(requirementsFile, 'utf8');
  return isCurrent ? join(folder, 'bin/python') : null;
}

/** Makes the environment, unless it is current. Needs a `python3` with `venv`. @returns an error message, or null */
export function preparePython() {
  if (pythonPath() !== null) return null;
  process.stdout.write('Installing the packages of sdks/python in .python\n');
  rmSync(folder, { recursive: true, force: true });
  const install = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    ...WITHIN_BOUNDS,
    '-r',
    requirementsFile,
  ];
  for (const [program, args] of [
    ['python3', ['-m', 'venv', folder]],
    [join(folder, 'bin/python'), install],
  ]) {
    const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
    if (status !== 0) return `${program} ${args.slice(0, 3).join(' ')} failed: ${error?.message ?? stderr.trim()}`;
  }
  writeFileSync(note, readFileSync(requirementsFile));
  return null;
}
