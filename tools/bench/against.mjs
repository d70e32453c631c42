import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { postgresCpuSeconds, processCpuSeconds } from './cpu.mjs';
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

/** Starts the code of a checkout on its own bundled server, with users who have money. */
async function prepareSide(checkout, dataDir, stops) {
  if (!existsSync(join(checkout, 'apps', 'all-in-one', 'dist', 'main.js')))
    throw new Error(`${checkout} is not built: run npm ci and npm run build there`);
  mkdirSync(dataDir, { recursive: true });
  const product = await startCheckout({ checkout, dataDir });
  stops.push(() => product.stop());
  const server = serverOf(dataDir);
  const wallets = await walletsOf(checkout, server.adminUrl, product.url);
  const load = createLoad({ url: product.url, wallets, dir: dataDir });
  const cpuSeconds = () => ({ node: processCpuSeconds(product.pid), postgres: postgresCpuSeconds(server.pid) });
  return {
    warm: () => load({ ...PAYS, seconds: WARM_SECONDS }),
    async measure(seconds) {
      const before = cpuSeconds();
      const { requests, perSecond } = await load({ ...PAYS, seconds });
      const after = cpuSeconds();
      const micros = (what) => ((after[what] - before[what]) / requests) * 1_000_000;
      const [nodeMicros, postgresMicros] = [micros('node'), micros('postgres')];
      return { perSecond, nodeMicros, postgresMicros, cpuMicros: nodeMicros + postgresMicros };
    },
  };
}

/**
 * Measures this code and that of another checkout in alternating rounds: payments/s and CPU a payment, and the median
 * of the ratios of each round. Answers the lines to print.
 * @param checkout the folder of a built checkout, such as a `git worktree` of the commit before
 */
export async function run({ dataDir, stops, isQuick, checkout }) {
  const { rounds, seconds } = isQuick ? QUICK : FULL;
  say('Starting both products, each on a server of its own');
  const sides = {
    before: await prepareSide(resolve(checkout), join(dataDir, 'before'), stops),
    now: await prepareSide(ROOT, join(dataDir, 'now'), stops),
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
    summary('cpuMicros', 'CPU a payment (Node and PostgreSQL)'),
    summary('nodeMicros', 'of that Node'),
    summary('postgresMicros', 'of that PostgreSQL'),
    '',
  ];
}
