/**
 * Runs an operator's command on the users, apps and payments of the product on this machine:
 * `npm run admin -- user alice --frozen --reason 'stolen phone'`, `npm run admin -- find alice@example.com`,
 * `npm run admin -- timeline 1852942301724180481`, `npm run admin -- suspend-app 1112`, `npm run admin -- audit`,
 * `npm run admin -- close alice --reason 'on request'`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAMS = {
  auth: 'auth-service/dist/admin.js',
  users: 'users-service/dist/admin.js',
  payments: 'payments-service/dist/operators/admin-command.js',
};

/** The services that run a command that changes something, one after the other. */
const CHANGES = {
  app: ['auth'],
  'suspend-app': ['auth'],
  'resume-app': ['auth'],
  'end-sessions': ['auth'],
  // The flags of an account are users-service's, but for `frozen-for-reading`.
  user: ['users', 'auth'],
};
/** Commands that only read, each with its services and how their outputs become one. */
const QUERIES = {
  timeline: { services: () => ['payments'], join: concatenate },
  // Only what has the form of an id can be a payment's.
  find: {
    services: ([, subject = ''], { isId }) => (isId(subject) ? ['users', 'payments'] : ['users']),
    join: concatenate,
  },
  audit: { services: () => ['users', 'auth'], join: mergeByTime },
};
const NOT_DONE = 1;
const DONE_LATER = 2;

/** @returns how the command of the service has ended */
async function run(service, args, stdio) {
  const { environmentBeside } = await import('@settle/launching');
  const env = await environmentBeside(service, process.env);
  const program = fileURLToPath(new URL(`../apps/${PROGRAMS[service]}`, import.meta.url));
  return spawnSync(process.execPath, [program, ...args], { env, stdio, encoding: 'utf8' });
}

async function change(services, args) {
  for (const service of services) {
    const status = (await run(service, args, 'inherit')).status ?? NOT_DONE;
    process.exitCode = Math.max(status, process.exitCode ?? 0);
    // A change that is stored and takes effect later does not skip the other steps.
    if (status !== 0 && status !== DONE_LATER) break;
  }
}

/** Closes an account step by step. Each step can be repeated: the same command finishes what was interrupted. */
async function close([verb, subject = '', ...options]) {
  const { CLOSE_STEPS, CLOSE_USAGE } = await import('@settle/contracts');
  if (subject === '' || subject.startsWith('-')) throw new Error(`Whose account? Usage:\n       ${CLOSE_USAGE}`);
  const found = await run('users', ['close-subject', subject], ['inherit', 'pipe', 'inherit']);
  process.exitCode = found.status ?? NOT_DONE;
  if (process.exitCode !== 0) return;
  const userId = found.stdout.trim();
  process.stdout.write(`Closing the account ${userId}\n`);
  for (const { step, service } of CLOSE_STEPS) {
    const { status } = await run(service, [verb, step, userId, ...options], 'inherit');
    if (status === 0) continue;
    process.stderr.write(
      `The account ${userId} is not closed: it stopped at the step "${step}". Run it again by the id\n`,
    );
    process.exitCode = NOT_DONE;
    return;
  }
}

async function query({ services, join }, args) {
  const contracts = await import('@settle/contracts');
  const ended = [];
  for (const service of services(args, contracts)) ended.push(await run(service, args, ['inherit', 'pipe', 'pipe']));
  const found = ended.filter(({ status }) => status === 0);
  const outputs = found.map(({ stdout }) => stdout);
  if (outputs.length > 0) process.stdout.write(join(outputs, args, contracts));
  // One hit is enough for a search; a list must be complete.
  if (found.length === ended.length || (args[0] === 'find' && found.length > 0)) return;
  const complaints = ended.filter(({ status }) => status !== 0).map(({ stderr }) => stderr);
  process.stderr.write([...new Set(complaints)].join(''));
  process.exitCode = NOT_DONE;
}

function concatenate(outputs) {
  return outputs.join('');
}

/** Each line begins with its time; the newest come first, as many as were asked for. */
function mergeByTime(outputs, args, { readAuditQuery }) {
  const lines = outputs.flatMap((output) => output.split('\n').filter(Boolean));
  const most = readAuditQuery(args).limit;
  return lines
    .toSorted()
    .toReversed()
    .slice(0, most)
    .map((line) => `${line}\n`)
    .join('');
}

try {
  const args = process.argv.slice(2);
  const [command] = args;
  if (command === 'close') await close(args);
  else if (Object.hasOwn(QUERIES, command ?? '')) await query(QUERIES[command], args);
  else await change(CHANGES[command] ?? ['users'], args);
} catch (error) {
  const reason = error.code === 'ERR_MODULE_NOT_FOUND' ? 'run `npm start` first, which builds it' : error.message;
  process.stderr.write(`admin: ${reason}\n`);
  process.exitCode = 1;
}
