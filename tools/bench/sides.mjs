import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startKafka } from '@settle/local-kafka';
import { postgresCpuSeconds, processCpuSeconds, treeCpuSeconds } from './cpu.mjs';
import { createLoad } from './load.mjs';
import { asAdmin, startCheckout } from './product.mjs';
import { inRounds, measurer } from './rounds.mjs';
import { fundWallets } from './seed.mjs';

/** A transaction that writes takes the next id of the server, so this counts them without delay. */
const WRITING_TRANSACTIONS = 'select pg_snapshot_xmax(pg_current_snapshot())::text as count';

/** The address of the superuser of a product's own server, and the process id of that server. */
function serverOf(dataDir) {
  const { superuser } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'));
  const port = readFileSync(join(dataDir, 'postgres', 'settle.port'), 'utf8').trim();
  const [pid] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  return { adminUrl: `postgresql://postgres:${superuser}@127.0.0.1:${port}/postgres`, pid: Number(pid) };
}

/** Users with money, made by the checkout's own code: its databases may differ from ours. */
async function makeWallets({ checkout, adminUrl, url, count }) {
  const env = { ...process.env, ADMIN_URL: adminUrl, PUBLIC_URL: url };
  const args = [join(checkout, 'tools', 'make-people.mjs'), String(count)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 64 * 2 ** 20 });
  return fundWallets(url, JSON.parse(stdout));
}

/** Starts a checkout in one process and returns a reader of its CPU seconds. */
async function startEmbedded({ stops, ...start }) {
  const product = await startCheckout(start);
  stops.push(() => product.stop());
  const { pid } = serverOf(start.dataDir);
  return {
    url: product.url,
    cpuSeconds: () => ({ Node: processCpuSeconds(product.pid), PostgreSQL: postgresCpuSeconds(pid) }),
  };
}

/** Starts a checkout as four services on a broker of its own and returns a reader of its CPU seconds. */
async function startDistributed({ stops, ...start }) {
  const { dataDir } = start;
  const kafka = await startKafka({ dataDir: join(dataDir, 'broker'), port: null, isForLong: true });
  stops.push(() => kafka.stop());
  const product = await startCheckout({ ...start, brokers: kafka.brokers });
  stops.push(() => product.stop());
  const { pid } = serverOf(dataDir);
  const cpuSeconds = () => {
    const PostgreSQL = postgresCpuSeconds(pid);
    return { Node: treeCpuSeconds(product.pid) - PostgreSQL, PostgreSQL, broker: processCpuSeconds(kafka.pid) };
  };
  return { url: product.url, cpuSeconds };
}

/**
 * Starts the code of a checkout on a bundled server of its own, with `walletCount` users who have money. Returns its load
 * generator, which also measures what a request costs: CPU seconds per 1,000 and writing transactions of PostgreSQL.
 * @param env settings in addition to those of every product under load
 */
export async function prepareSide({ checkout, dataDir, walletCount, isStack = false, env, nodeArgs, stops }) {
  if (!existsSync(join(checkout, 'apps', 'all-in-one', 'dist', 'main.js')))
    throw new Error(`${checkout} is not built: run npm ci and npm run build there`);
  mkdirSync(dataDir, { recursive: true });
  const start = isStack ? startDistributed : startEmbedded;
  const { url, cpuSeconds } = await start({ checkout, dataDir, env, nodeArgs, stops });
  const { adminUrl } = serverOf(dataDir);
  const wallets = await makeWallets({ checkout, adminUrl, url, count: walletCount });
  const measureCpu = measurer(createLoad({ url, wallets, dir: dataDir }), cpuSeconds);
  const countCommits = async () =>
    Number((await asAdmin(adminUrl, (client) => client.query(WRITING_TRANSACTIONS))).rows[0].count);
  return {
    adminUrl,
    async measure(request) {
      const before = await countCommits();
      const measured = await measureCpu(request);
      return { ...measured, commitsPerRequest: ((await countCommits()) - before) / measured.requests };
    },
  };
}

/**
 * Loads all sides with each row in turn, in alternating order. Returns the measurements by row, round and side.
 * @param sides by name
 * @param rows requests of the load generator, with a `name`
 */
export async function measureInTurn(sides, rows, { rounds, seconds }) {
  const measured = rows.map(({ name }) => ({ name, rounds: [] }));
  const order = Object.keys(sides);
  await inRounds(rounds, async () => {
    for (const [at, { name: _, ...request }] of rows.entries()) {
      const round = {};
      for (const side of order) round[side] = await sides[side].measure({ ...request, seconds });
      measured[at].rounds.push(round);
    }
    order.reverse();
  });
  return measured;
}
