import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '@settle/local-kafka';
import { startEmbeddedPostgres } from '@settle/postgres';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** The arguments that `npm start` of a checkout passes to Node: its options, then the program. */
const startArgsOf = (checkout) =>
  JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8'))
    .scripts.start.split(' ')
    .slice(1);
const STACK_ARGS = ['apps/stack/dist/main.js'];
const STACK_MAIN = join(ROOT, ...STACK_ARGS);
const PROFILER = new URL('profile.mjs', import.meta.url).href;
const STDIO = ['ignore', 'pipe', 'inherit'];
const READY_TIMEOUT_MS = 60_000;
/** pgbench opens one connection per client, 256 at most; the product needs few. */
const MAX_CONNECTIONS = 320;

const quiet = { info() {}, warn() {}, error() {} };

/**
 * The embedded server, as the product starts it, with room for pgbench's connections. The product and pgbench then
 * use the same server with the same settings.
 */
export async function startServer(dataDir) {
  mkdirSync(dataDir, { recursive: true });
  const first = await startEmbeddedPostgres({ dataDir, logger: quiet });
  await asAdmin(first.adminUrl, (client) => client.query(`alter system set max_connections = ${MAX_CONNECTIONS}`));
  await first.stop();
  const server = await startEmbeddedPostgres({ dataDir, logger: quiet });
  const pid = Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  return { adminUrl: server.adminUrl, pid, stop: () => server.stop() };
}

/** Runs `work` with a connection to a database of the server. */
export async function asAdmin(adminUrl, work, database = 'postgres') {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Settings of either shape under load. */
const settings = ({ dataDir, adminUrl, port }) => ({
  ...process.env,
  NODE_ENV: 'development',
  PORT: String(port),
  DATA_DIR: dataDir,
  DATABASE_URL: adminUrl,
  DEMO: 'true',
  LOG_LEVEL: 'error',
  RATE_LIMITS: 'off',
  // Alice's source pays for all wallets.
  SOURCE_AMOUNT_PER_DAY: '999999999',
});

/** Starts the product as `npm start` does, on this server, with these arguments to Node and further settings, and waits until it is ready. */
export async function startProduct({ dataDir, adminUrl, nodeArgs, env: more = {} }) {
  const env = { ...settings({ dataDir, adminUrl, port: await freePort() }), ...more };
  return untilReady(spawn(process.execPath, [...nodeArgs, ...startArgsOf(ROOT)], { cwd: ROOT, env, stdio: STDIO }));
}

/**
 * Starts the code of a checkout, on the bundled server of its own code, and waits until it is ready.
 * @param brokers of Kafka, for four services; absent: one process
 * @param more further settings
 * @param nodeArgs arguments to Node, for one process
 */
export async function startCheckout({ checkout, dataDir, brokers, env: more = {}, nodeArgs = [] }) {
  const { DATABASE_URL: _, ...usual } = settings({ dataDir, adminUrl: '', port: await freePort() });
  const kafka = brokers === undefined ? {} : { KAFKA_BROKERS: brokers.join(',') };
  const args = brokers === undefined ? [...nodeArgs, ...startArgsOf(checkout)] : STACK_ARGS;
  const env = { ...usual, ...kafka, ...more };
  return untilReady(spawn(process.execPath, args, { cwd: checkout, env, stdio: STDIO }));
}

/**
 * Starts the distributed shape on this server and this broker, one instance of each service, and waits until it is
 * ready. `processes()` answers the ids of its processes by kind, `scale(count)` changes how many payments instances
 * there are.
 */
export async function startStack({ dataDir, adminUrl, brokers, profileDir }) {
  const env = {
    ...settings({ dataDir, adminUrl, port: await freePort() }),
    KAFKA_BROKERS: brokers.join(','),
    ...(profileDir === null ? {} : { NODE_OPTIONS: `--import ${PROFILER}`, PROFILE_DIR: profileDir }),
  };
  const stack = await untilReady(spawn(process.execPath, [STACK_MAIN], { cwd: ROOT, env, stdio: STDIO }));
  const command = async (...words) =>
    (await promisify(execFile)(process.execPath, [STACK_MAIN, ...words], { env: { ...env, NODE_OPTIONS: '' } })).stdout;
  return {
    ...stack,
    scale: (count) => command('scale', 'payments', String(count)),
    async processes() {
      const { pid, instances } = JSON.parse(await command('status', '--json'));
      const kinds = { supervisor: [pid] };
      for (const { name, pid: own } of instances) (kinds[name.replace(/-\d+$/, '')] ??= []).push(own);
      return kinds;
    },
  };
}

async function untilReady(child) {
  const url = await new Promise((resolve, reject) => {
    let printed = '';
    const timer = setTimeout(() => reject(new Error('The product was not ready in time.')), READY_TIMEOUT_MS);
    child.stdout.on('data', (chunk) => {
      printed = (printed + chunk).slice(-10_000);
      const ready = /^Ready: (\S+)/m.exec(printed);
      if (ready === null) return;
      clearTimeout(timer);
      resolve(new URL(ready[1]).origin);
    });
    child.once('exit', (code) => reject(new Error(`The product ended with code ${code}:\n${printed}`)));
  });
  return {
    url,
    pid: child.pid,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}
