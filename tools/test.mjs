/**
 * `npm test`: every spec but the drills, with what each needs started for it; everything but `--embedded` is jest's own. Java and
 * Maven, which a real Apache Kafka needs, and Chromium are installed where that can be done (on Debian, as root);
 * elsewhere it ends with a line that says what to install, and without Chromium alone it leaves out the walk through the
 * pages. `--embedded` runs everything that needs neither Java nor Maven. `--long`: the faults often
 * enough to trust the answer, with the goals for two cores without other load; the fuzzer with 20,000
 * requests; 1,000 guesses at passwords, with the goal for those who read meanwhile. `--every-shape`, and `--long`, repeat on the
 * stack what is the same in every shape.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { earlierCommit } from '../apps/e2e/earlier-version.mjs';
import { CHART_PROGRAMS, installMissing, missingOf, QUICKSTART_PROGRAMS } from './programs.mjs';
import { ANALYTICS, CLIENT, preparePython } from './python-environment.mjs';
import {
  planAlarmTests,
  planChartTests,
  planFullDisk,
  planPythonClient,
  planQuickstarts,
  planRecipes,
  planServerSpecs,
  planShapes,
  planUnitVerification,
  planWalk,
} from './test-parts.mjs';

const root = join(import.meta.dirname, '..');
const given = process.argv.slice(2);
const isEmbedded = given.includes('--embedded');
const isLong = given.includes('--long');
const isEveryShape = isLong || given.includes('--every-shape');
const args = given.filter((arg) => !['--embedded', '--long', '--every-shape'].includes(arg));

/** Jest projects whose specs need Java and Maven. */
const ON_STACK = ['e2e-stack', 'e2e-eventstoredb'];
/** Jest projects that run only when they are named: each takes minutes. */
const DRILLS = ['faults', 'restore', 'upgrade'];
const ON_KAFKA = ['kafka', ...ON_STACK, ...DRILLS];
/** Jest projects some of whose specs walk through the pages in a browser. */
const IN_CHROMIUM = ['e2e', 'e2e-stack'];

/** Returns the names of `--selectProjects`, or null for all. */
function selectedProjects() {
  const at = args.findIndex((arg) => arg.startsWith('--selectProjects'));
  if (at < 0) return null;
  const [, first] = args[at].split('=');
  const rest = args.slice(at + 1);
  const end = rest.findIndex((arg) => arg.startsWith('-'));
  return [...(first ?? '').split(','), ...(end < 0 ? rest : rest.slice(0, end))];
}

function requireJava() {
  const missing = installMissing(['java', 'mvn'], 'the specs on a real Apache Kafka');
  if (missing.length === 0) return;
  process.stderr.write(
    `Not installed: ${missing.join(', ')}. The specs on a real Apache Kafka need Java 17 or newer and Maven ` +
      '(Debian: apt-get install default-jre-headless maven); npm test -- --embedded runs all others\n',
  );
  process.exit(1);
}

/** Fetches Kafka once, before any spec: a Maven that cannot would fail each of them. */
async function requireKafka() {
  const { kafkaJars } = await import('@settle/local-kafka');
  try {
    await kafkaJars();
  } catch (error) {
    process.stderr.write(`${error.message}\nnpm test -- --embedded runs all specs that need no Kafka\n`);
    process.exit(1);
  }
}

/** Where it is missing nothing of the project could run. */
function requireEarlierVersion() {
  try {
    earlierCommit();
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

const isCi = process.env.CI === 'true';

function lookForChromium() {
  const isMissing = installMissing(['chromium'], 'the walk through the pages').length > 0;
  return reportLeftOut(planWalk({ hasChromium: !isMissing, isCi }));
}

/** Its package would start a server: `.ci/run` fetches the program alone. */
function lookForPromtool() {
  return reportLeftOut(planAlarmTests({ hasPromtool: missingOf(['promtool']).length === 0, isCi }));
}

function lookForHelm() {
  return reportLeftOut(planChartTests({ hasHelm: missingOf(CHART_PROGRAMS).length === 0 }));
}

function lookForQuickstartPrograms() {
  return reportLeftOut(planQuickstarts({ missing: missingOf(QUICKSTART_PROGRAMS), isCi }));
}

function lookForSystemd() {
  return reportLeftOut(planUnitVerification({ hasSystemd: missingOf(['systemd-analyze']).length === 0 }));
}

function lookForDisk() {
  return reportLeftOut(planFullDisk({ canMount: missingOf(['a small disk']).length === 0 }));
}

function lookForServer() {
  return reportLeftOut(planServerSpecs({ hasServer: (process.env.EVENTSTORE_URL ?? '') !== '' }));
}

function lookAtShapes() {
  return reportLeftOut(planShapes({ isEveryShape }));
}

/** Returns why there is no such environment, or null if there is. */
function prepareForPython(environment) {
  const isMissing = installMissing(['python'], 'the specs of the Python client and of the recipes').length > 0;
  return isMissing ? 'Python is not installed (Debian: apt-get install python3-venv)' : preparePython(environment);
}

const prepareForClient = () => reportLeftOut(planPythonClient({ reason: prepareForPython(CLIENT) }));
const prepareForRecipes = () => reportLeftOut(planRecipes({ reason: prepareForPython(ANALYTICS) }));

/** Returns the last line of the run about specs that are left out, or null if all run. Ends a run of CI. */
function reportLeftOut({ leftOut, error }) {
  if (error !== null) {
    process.stderr.write(`${error}\n`);
    process.exit(1);
  }
  return leftOut;
}

const runsAnyOf = (projects) => selectedProjects()?.some((project) => projects.includes(project)) ?? true;
const needsKafka = !isEmbedded && runsAnyOf(ON_KAFKA);
if (needsKafka) requireJava();
if (selectedProjects()?.includes('upgrade')) requireEarlierVersion();
const leftOut = [
  runsAnyOf(IN_CHROMIUM) ? lookForChromium() : null,
  runsAnyOf(['pure']) ? lookForPromtool() : null,
  runsAnyOf(['pure', 'int', 'kafka']) ? lookForHelm() : null,
  runsAnyOf(['pure']) ? lookForSystemd() : null,
  selectedProjects()?.includes('restore') ? lookForDisk() : null,
  runsAnyOf(['int']) ? lookForServer() : null,
  !isEmbedded && runsAnyOf(ON_STACK) ? lookAtShapes() : null,
  runsAnyOf(['pure', ...IN_CHROMIUM]) ? prepareForClient() : null,
  runsAnyOf(['pure', 'kafka', 'e2e-stack']) ? prepareForRecipes() : null,
  runsAnyOf(['e2e']) ? lookForQuickstartPrograms() : null,
].filter((line) => line !== null);
await import('./prepare.mjs');
if (needsKafka) await requireKafka();
if (isEmbedded) process.stdout.write(`Without the specs on a real Apache Kafka (${ON_KAFKA.join(', ')})\n`);

/** Its workers have them too. With the usual space for young objects a worker collects garbage for a seventh of its time. */
const NODE_FLAGS = ['--max-semi-space-size=64', '--experimental-vm-modules', '--no-warnings'];

/** Jest's exit code. */
function runJest(jestArgs) {
  const { status } = spawnSync(
    process.execPath,
    [...NODE_FLAGS, join(root, 'node_modules/jest/bin/jest.js'), ...jestArgs],
    {
      cwd: root,
      stdio: 'inherit',
      env: {
        ...process.env,
        ...(isLong ? { FAULTS: 'long', FUZZ: 'long', GUESSING: 'long' } : {}),
        ...(isEveryShape ? { EVERY_SHAPE: 'true' } : {}),
      },
    },
  );
  return status ?? 1;
}

/** Each project in a process of its own, so that no more than one's modules and servers hold memory at a time. */
function runAll(projects) {
  const turns = [];
  for (const project of projects) {
    process.stdout.write(`\n== ${project}\n`);
    const began = performance.now();
    const status = runJest(['--selectProjects', project]);
    turns.push({ project, status, seconds: Math.round((performance.now() - began) / 1000) });
  }
  process.stdout.write('\n');
  for (const { project, status, seconds } of turns)
    process.stdout.write(`${status === 0 ? 'passed' : 'FAILED'} ${project} in ${seconds} s\n`);
  return turns.every(({ status }) => status === 0) ? 0 : 1;
}

const PROJECTS = ['pure', 'int', ...(isEmbedded ? [] : ['kafka']), 'e2e', ...(isEmbedded ? [] : ON_STACK)];
const ignored = isEmbedded ? ON_KAFKA : selectedProjects() === null ? DRILLS : [];
const without = ignored.length === 0 ? [] : ['--ignoreProjects', ...ignored];
process.exitCode = args.length === 0 ? runAll(PROJECTS) : runJest([...args, ...without]);
for (const line of leftOut) process.stdout.write(`${line}\n`);
