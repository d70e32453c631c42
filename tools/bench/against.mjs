import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startKafka } from '@settle/local-kafka';
import { postgresCpuSeconds, processCpuSeconds, treeCpuSeconds } from './cpu.mjs';
import { createLoad } from './load.mjs';
import { startCheckout } from './product.mjs';
import { inRounds, median, say } from './rounds.mjs';
import { fundWallets } from './seed.mjs';

const FULL = { rounds: 12, seconds: 10 };
const QUICK = { rounds: 4, seconds: 2 };
const WALLETS = 200;
const ALL_WALLETS = [0, WALLETS];
const PAYS = { mode: 'pay', payers: ALL_WALLETS, payees: ALL_WALLETS, inFlight: 64 };
/** A product that was just started is slow at first. */
const WARM_SECONDS = 10;

const ROOT = join(import.meta.dirname, '..', '..');

/** The address of the superuser of a product's own server, and the process id of that server. */
function serverOf(dataDir) {
  const { superuser } = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8'));
  const port = readFileSync(join(dataDir, 'postgres', 'settle.port'), 'utf8').trim();
  const [pid] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  return { adminUrl: `postgresql://postgres:${superuser}@127.0.0.1:${port}/postgres`, pid: Number(pid) };
}

/** Users with money, made by the checkout's own code: its databases may differ from ours. */
async function walletsOf(checkout, adminUrl, url) {
  const env = { ...process.env, ADMIN_URL: adminUrl, PUBLIC_URL: url };
  const args = [join(checkout, 'tools', 'make-people.mjs'), String(WALLETS)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env, maxBuffer: 64 * 2 ** 20 });
  return fundWallets(url, JSON.parse(stdout));
}

/** Starts a checkout in one process and returns a reader of its CPU seconds. */
async function startEmbedded(checkout, dataDir, stops) {
  const product = await startCheckout({ checkout, dataDir });
  stops.push(() => product.stop());
  const { pid } = serverOf(dataDir);
  return {
    url: product.url,
    cpuSeconds: () => ({ Node: processCpuSeconds(product.pid), PostgreSQL: postgresCpuSeconds(pid) }),
  };
}

/** Starts a checkout as four services on a broker of its own and returns a reader of its CPU seconds. */
async function startDistributed(checkout, dataDir, stops) {
  const kafka = await startKafka({ dataDir: join(dataDir, 'broker'), port: null, isForLong: true });
  stops.push(() => kafka.stop());
  const product = await startCheckout({ checkout, dataDir, brokers: kafka.brokers });
  stops.push(() => product.stop());
  const { pid } = serverOf(dataDir);
  const cpuSeconds = () => {
    const PostgreSQL = postgresCpuSeconds(pid);
    return { Node: treeCpuSeconds(product.pid) - PostgreSQL, PostgreSQL, broker: processCpuSeconds(kafka.pid) };
  };
  return { url: product.url, cpuSeconds };
}

/** Starts the code of a checkout on a bundled server of its own, with users who have money. */
async function prepareSide(checkout, dataDir, start) {
  if (!existsSync(join(checkout, 'apps', 'all-in-one', 'dist', 'main.js')))
    throw new Error(`${checkout} is not built: run npm ci and npm run build there`);
  mkdirSync(dataDir, { recursive: true });
  const { url, cpuSeconds } = await start(checkout, dataDir);
  const wallets = await walletsOf(checkout, serverOf(dataDir).adminUrl, url);
  const load = createLoad({ url, wallets, dir: dataDir });
  return {
    warm: () => load({ ...PAYS, seconds: WARM_SECONDS }),
    async measure(seconds) {
      const before = cpuSeconds();
      const { requests, perSecond } = await load({ ...PAYS, seconds });
      const after = cpuSeconds();
      const micros = Object.entries(before).map(([part, began]) => [
        part,
        ((after[part] - began) / requests) * 1_000_000,
      ]);
      return { perSecond, cpuMicros: micros.reduce((sum, [, value]) => sum + value, 0), ...Object.fromEntries(micros) };
    },
  };
}

/**
 * Measures this code and that of another checkout in alternating rounds: payments/s and CPU a payment, and the median
 * of the ratios of each round, in one process or distributed. Returns the lines to print.
 * @param checkout the folder of a built checkout, such as a `git worktree` of the commit before
 */
export async function run({ dataDir, stops, isQuick, checkout, isStack }) {
  const { rounds, seconds } = isQuick ? QUICK : FULL;
  const start = (folder, data) => (isStack ? startDistributed : startEmbedded)(folder, data, stops);
  say('Starting both products, each on a server of its own');
  const sides = {
    before: await prepareSide(resolve(checkout), join(dataDir, 'before'), start),
    now: await prepareSide(ROOT, join(dataDir, 'now'), start),
  };
  for (const side of Object.values(sides)) await side.warm();
  const rows = [];
  await inRounds(rounds, async () => {
    const order = rows.length % 2 === 0 ? ['before', 'now'] : ['now', 'before'];
    const row = {};
    for (const each of order) row[each] = await sides[each].measure(seconds);
    rows.push(row);
  });
  return report(rows);
}

function report(rows) {
  const { perSecond: _rate, cpuMicros: _sum, ...micros } = rows[0].now;
  const parts = Object.keys(micros);
  const ratios = (what) => rows.map(({ before, now }) => now[what] / before[what]);
  const line = ({ before, now }, round) =>
    `| ${round + 1} | ${before.perSecond.toFixed(0)} | ${now.perSecond.toFixed(0)} | ${(now.perSecond / before.perSecond).toFixed(3)} | ${before.cpuMicros.toFixed(0)} | ${now.cpuMicros.toFixed(0)} | ${(now.cpuMicros / before.cpuMicros).toFixed(3)} |`;
  const spread = (values) => `${Math.min(...values).toFixed(3)} to ${Math.max(...values).toFixed(3)}`;
  const summary = (what, name) =>
    `- ${name}: median of the ratios **${median(ratios(what)).toFixed(3)}**, ${spread(ratios(what))}`;
  return [
    '| round | before, payments/s | now | ratio | before, CPU us a payment | now | ratio |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows.map(line),
    '',
    summary('perSecond', 'payments/s'),
    summary('cpuMicros', 'CPU a payment'),
    ...parts.map((part) => summary(part, `of that ${part}`)),
    '',
  ];
}
