import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { postgresCpuSeconds, processCpuSeconds } from './cpu.mjs';
import { createLoad } from './load.mjs';
import { startProduct, startServer } from './product.mjs';
import { inRounds, median, say } from './rounds.mjs';
import { seedWallets } from './seed.mjs';

export const PAGE = 'performance-overhead.md';

/** Short turns: what slows the machine for some seconds slows both. */
const FULL = { starts: 2, pairs: 4, turns: 16, seconds: 1 };
const QUICK = { starts: 1, pairs: 1, turns: 4, seconds: 1 };

const WALLETS = 200;
const ALL_WALLETS = [0, WALLETS];
const PAYS = { mode: 'pay', payers: ALL_WALLETS, payees: ALL_WALLETS, inFlight: 64 };
/** A product that was just started is slow at first. */
const WARM_SECONDS = 5;
const SCRAPE_EVERY_MS = 1_000;

/** Takes whatever it is sent, as a collector beside the product would. */
async function startCollector() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { endpoint: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

/** Scrapes the metrics as Prometheus does, but more often. */
function scrape(port) {
  const timer = setInterval(() => {
    void fetch(`http://127.0.0.1:${port}/metrics`).then((answer) => answer.text());
  }, SCRAPE_EVERY_MS);
  return () => clearInterval(timer);
}

/** Its own server and users with money, for one of the two products that are compared. */
async function prepareSide(dataDir, stops) {
  const server = await startServer(dataDir);
  stops.push(() => server.stop());
  const { adminUrl } = server;
  const product = await startProduct({ dataDir, adminUrl, nodeArgs: [] });
  const wallets = await seedWallets({ adminUrl, url: product.url, count: WALLETS }).finally(() => product.stop());
  return { server, dataDir, wallets };
}

/** Starts a product with these settings; `measure` has it pay and answers the payments and their CPU seconds. */
async function startMeasured({ server, dataDir, wallets }, { env, healthPort = null }, seconds) {
  const product = await startProduct({ dataDir, adminUrl: server.adminUrl, nodeArgs: [], env });
  const load = createLoad({ url: product.url, wallets, dir: dataDir });
  const cpuSeconds = () => processCpuSeconds(product.pid) + postgresCpuSeconds(server.pid);
  const measure = async () => {
    const stopScraping = healthPort === null ? () => undefined : scrape(healthPort);
    const before = cpuSeconds();
    const { requests } = await load({ ...PAYS, seconds });
    stopScraping();
    return { requests, seconds: cpuSeconds() - before };
  };
  const warm = () => load({ ...PAYS, seconds: WARM_SECONDS });
  return { warm, measure, stop: () => product.stop() };
}

async function freshPort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** The first and the last of every four turns belong to one product, so that a drift affects both equally. */
const inTurn = (pair, turns) =>
  Array.from({ length: turns }, (_, turn) => (turn % 4 === 0 || turn % 4 === 3) === (pair % 2 === 0)).map(
    (isWithout) => (isWithout ? 'without' : 'with'),
  );

async function measurePair(measured, order) {
  const sums = { with: { requests: 0, seconds: 0 }, without: { requests: 0, seconds: 0 } };
  for (const each of order) {
    const { requests, seconds } = await measured[each].measure();
    sums[each].requests += requests;
    sums[each].seconds += seconds;
  }
  const per1000 = ({ requests, seconds }) => (seconds / requests) * 1_000;
  return { with: per1000(sums.with), without: per1000(sums.without) };
}

/**
 * Pairs of the product with and without, both running and asked in turn, so that what slows the machine slows both.
 * With every start the two change places.
 */
async function measurePairs({ sides, plan }, what) {
  const rows = [];
  for (let start = 0; start < plan.starts; start += 1) {
    const [plain, watched] = start % 2 === 0 ? sides : sides.toReversed();
    const measured = {
      without: await startMeasured(plain, { env: {} }, plan.seconds),
      with: await startMeasured(watched, what, plan.seconds),
    };
    try {
      for (const each of Object.values(measured)) await each.warm();
      await inRounds(plan.pairs, async () => {
        const row = await measurePair(measured, inTurn(rows.length, plan.turns));
        rows.push(row);
        say(`  ${row.without.toFixed(3)} s without, ${row.with.toFixed(3)} s with`);
      });
    } finally {
      for (const each of Object.values(measured)) await each.stop();
    }
  }
  const ofAll = (which) => median(rows.map((row) => row[which]));
  return { without: ofAll('without'), with: ofAll('with'), ratio: median(rows.map((row) => row.with / row.without)) };
}

/** Measures what metrics and traces cost the embedded shape. Answers the lines of the page. */
export async function run({ dataDir, stops, isQuick }) {
  const plan = isQuick ? QUICK : FULL;
  if (processCpuSeconds(process.pid) === null) throw new Error('This system does not tell how much CPU a process uses');
  say('Starting two servers, and on each the product to make people with money');
  const collector = await startCollector();
  stops.push(async () => collector.stop());
  const sides = [await prepareSide(join(dataDir, 'one'), stops), await prepareSide(join(dataDir, 'other'), stops)];
  const parts = { sides, plan };
  const healthPort = await freshPort();
  say('With and without metrics');
  const metrics = await measurePairs(parts, { env: { HEALTH_PORT: String(healthPort) }, healthPort });
  say('With and without traces');
  const traces = await measurePairs(parts, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint } });
  return page(plan, { metrics, traces });
}

function page({ starts, pairs, turns, seconds }, results) {
  const percent = (ratio) => `${((ratio - 1) * 100).toFixed(1)} %`;
  const row = ([name, { without, with: beside, ratio }]) =>
    `| ${name} | ${without.toFixed(3)} s | ${beside.toFixed(3)} s | ${percent(ratio)} |`;
  return [
    '# What watching costs',
    '',
    `Made by \`npm run bench -- --overhead\`: CPU seconds of the embedded shape and its PostgreSQL for 1,000 payments, 64 in`,
    `flight, medians of ${starts * pairs} pairs. Two products run side by side, one of which is watched, and pay in turn,`,
    `${turns} turns of ${seconds} s a pair; after ${pairs} pairs they are started anew and change places. Metrics are asked for`,
    'every second; one trace in 100 is kept and sent, as it is by default.',
    '',
    '|      | without | with | more, median of the pairs |',
    '| ---- | ------- | ---- | ------------------------- |',
    ...Object.entries(results).map(row),
    '',
  ];
}
