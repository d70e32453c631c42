/**
 * `npm test`: every spec, with what each needs started for it. `--embedded` leaves out those that need Java and Maven,
 * and so does a machine that lacks them, unless it is CI; everything else is jest's own.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const given = process.argv.slice(2);
const isEmbedded = given.includes('--embedded');
const args = given.filter((arg) => arg !== '--embedded');

const runs = (program) => spawnSync(program, ['-version'], { stdio: 'ignore' }).error === undefined;

/** Of `--selectProjects`; null when all are. */
function selectedProjects() {
  const at = args.findIndex((arg) => arg.startsWith('--selectProjects'));
  if (at < 0) return null;
  const [, first] = args[at].split('=');
  const rest = args.slice(at + 1);
  const end = rest.findIndex((arg) => arg.startsWith('-'));
  return [...(first ?? '').split(','), ...(end < 0 ? rest : rest.slice(0, end))];
}

const wantsKafka = !isEmbedded && (selectedProjects()?.includes('kafka') ?? true);
const missing = wantsKafka ? ['java', 'mvn'].filter((program) => !runs(program)) : [];
const isWithoutKafka = isEmbedded || missing.length > 0;
if (missing.length > 0) {
  process.stderr.write(
    `Not installed: ${missing.join(', ')}. The specs on a real Apache Kafka need Java 17 or newer and Maven ` +
      '(Debian: apt-get install default-jre-headless maven).\n',
  );
  // There every spec runs: what is left out elsewhere must not be left out everywhere.
  if (process.env.CI) process.exit(1);
}
await import('./prepare.mjs');
if (isWithoutKafka) process.stdout.write('Without the specs on a real Apache Kafka\n');
const jest = join(root, 'node_modules/jest/bin/jest.js');
const projects = isWithoutKafka ? ['--ignoreProjects', 'kafka'] : [];
const { status } = spawnSync(
  process.execPath,
  ['--experimental-vm-modules', '--no-warnings', jest, ...args, ...projects],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
