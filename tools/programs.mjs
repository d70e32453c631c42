/** Programs of the system that specs need, and how they come onto a machine. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumPath } from './chromium.mjs';
import { hasSchemas } from './helm-chart/schemas.mjs';

/** Whether a program can be started. */
export const isOnPath = (program) => spawnSync(program, ['-version'], { stdio: 'ignore' }).error === undefined;

/** Whether a Python is there that can make environments. */
function hasPython() {
  const program = 'import ensurepip, sys; sys.exit(sys.version_info < (3, 10))';
  return spawnSync('python3', ['-c', program], { stdio: 'ignore' }).status === 0;
}

/** Whether a disk of a fixed size can be mounted, for which Linux wants root. */
function canMountDisk() {
  const folder = mkdtempSync(join(tmpdir(), 'settle-mount-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
  if (status === 0) spawnSync('umount', [folder], { stdio: 'ignore' });
  rmdirSync(folder);
  return status === 0;
}

/** Each with its package on Debian; null where Debian has none, and `.ci/run` installs it. */
export const PROGRAMS = {
  python: { debianPackage: 'python3-venv', isThere: hasPython },
  java: { debianPackage: 'default-jre-headless', isThere: () => isOnPath('java') },
  mvn: { debianPackage: 'maven', isThere: () => isOnPath('mvn') },
  go: { debianPackage: 'golang-go', isThere: () => isOnPath('go') },
  curl: { debianPackage: 'curl', isThere: () => isOnPath('curl') },
  promtool: { debianPackage: 'prometheus', isThere: () => isOnPath('promtool') },
  'systemd-analyze': { debianPackage: 'systemd', isThere: () => isOnPath('systemd-analyze') },
  'a small disk': { debianPackage: null, isThere: canMountDisk },
  helm: { debianPackage: null, isThere: () => isOnPath('helm') },
  'kubernetes-validate': { debianPackage: null, isThere: () => isOnPath('kubernetes-validate') },
  'schemas of custom resources': { debianPackage: null, isThere: hasSchemas },
  chromium: { debianPackage: 'chromium', isThere: () => chromiumPath() !== null },
};

/** The programs that check the Helm chart. */
export const CHART_PROGRAMS = ['helm', 'kubernetes-validate', 'schemas of custom resources'];

/** Those with which the quickstarts in Go and with curl run. */
export const QUICKSTART_PROGRAMS = ['go', 'curl'];

/** Those of the named programs that are not installed. */
export const missingOf = (names) => names.filter((name) => !PROGRAMS[name].isThere());

/**
 * Installs what is missing of the named programs on Debian as root; elsewhere it does nothing.
 * @param purpose what they are for, as the end of "Installing ... with apt-get, for"
 * @returns the programs that are missing afterwards
 */
export function installMissing(names, purpose) {
  const missing = missingOf(names);
  if (missing.length === 0) return missing;
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return missing;
  const packages = missing.map((name) => PROGRAMS[name].debianPackage);
  process.stdout.write(`Installing ${packages.join(' and ')} with apt-get, for ${purpose}\n`);
  const options = {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  };
  spawnSync('apt-get', ['update', '-qq'], options);
  spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
  return missingOf(names);
}
