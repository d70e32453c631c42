/**
 * `npm test`: every spec, with what each needs started for it. `--embedded` leaves out those that need Java and Maven;
 * everything else is jest's own.
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

const needsKafka = !isEmbedded && (selectedProjects()?.includes('kafka') ?? true);
const missing = needsKafka ? ['java', 'mvn'].filter((program) => !runs(program)) : [];
if (missing.length > 0) {
  process.stderr.write(
    `Not installed: ${missing.join(', ')}. Specs on a real Apache Kafka need Java 17 or newer and Maven ` +
      '(Debian: apt-get install default-jre-headless maven); npm test -- --embedded runs all others.\n',
  );
  process.exit(1);
}
await import('./prepare.mjs');
if (isEmbedded) process.stdout.write('Without the specs on a real Apache Kafka (--embedded)\n');
const jest = join(root, 'node_modules/jest/bin/jest.js');
const projects = isEmbedded ? ['--ignoreProjects', 'kafka'] : [];
const { status } = spawnSync(
  process.execPath,
  ['--experimental-vm-modules', '--no-warnings', jest, ...args, ...projects],
  { cwd: root, stdio: 'inherit' },
);
process.exitCode = status ?? 1;
