import { createServer } from 'node:http';
import { once } from 'node:events';
import { postgresCpuSeconds, processCpuSeconds } from './cpu.mjs';
import { createLoad } from './load.mjs';
import { startProduct, startServer } from './product.mjs';
import { inRounds, measurer, middle, say } from './rounds.mjs';
import { seedWallets } from './seed.mjs';

export const PAGE = 'performance-overhead.md';

const FULL = { pairs: 8, seconds: 8 };
const QUICK = { pairs: 1, seconds: 3 };

const WALLETS = 200;
const everybody = [0, WALLETS];
const PAYS = { mode: 'pay', payers: everybody, payees: everybody, inFlight: 64 };
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

/** Asks for the metrics as Prometheus does, only more often. */
function scrape(port) {
  const timer = setInterval(() => {
    void fetch(`http://127.0.0.1:${port}/metrics`).then((answer) => answer.text());
  }, SCRAPE_EVERY_MS);
  return () => clearInterval(timer);
}

/** CPU seconds of product and PostgreSQL for 1,000 payments, the product started with these settings. */
async function measureWith({ server, dataDir, wallets, plan }, { env, healthPort = null }) {
  const { adminUrl, pid } = server;
  const product = await startProduct({ dataDir, adminUrl, nodeArgs: [], env });
  try {
    const generate = createLoad({ url: product.url, wallets, dir: dataDir });
    const load = (request) => generate({ seconds: plan.seconds, ...request });
    const readCpu = () => ({ node: processCpuSeconds(product.pid), postgres: postgresCpuSeconds(pid) });
    await load({ ...PAYS, seconds: WARM_SECONDS });
    const stopScraping = healthPort === null ? () => undefined : scrape(healthPort);
    const { cpuPer1000 } = await measurer(load, readCpu)(PAYS);
    stopScraping();
    return cpuPer1000.node + cpuPer1000.postgres;
  } finally {
    await product.stop();
  }
}

async function freshPort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Pairs of one run with and one without, in turn first, so that what slows the machine slows both. */
async function measurePairs(parts, what) {
  const rows = [];
  await inRounds(parts.plan.pairs, async () => {
    const order = rows.length % 2 === 0 ? ['without', 'with'] : ['with', 'without'];
    const row = {};
    for (const each of order) row[each] = await measureWith(parts, each === 'with' ? what : { env: {} });
    rows.push(row);
    say(`  ${row.without.toFixed(3)} s without, ${row.with.toFixed(3)} s with`);
  });
  const ofAll = (which) => middle(rows.map((row) => row[which]));
  return { without: ofAll('without'), with: ofAll('with'), ratio: middle(rows.map((row) => row.with / row.without)) };
}

/** Measures what metrics and traces cost the embedded shape. Answers the lines of the page. */
export async function run({ dataDir, stops, isQuick }) {
  const plan = isQuick ? QUICK : FULL;
  if (processCpuSeconds(process.pid) === null) throw new Error('This system does not tell how much CPU a process uses');
  say('Starting PostgreSQL, and the product to make people with money');
  const server = await startServer(dataDir);
  stops.push(() => server.stop());
  const collector = await startCollector();
  stops.push(async () => collector.stop());
  const product = await startProduct({ dataDir, adminUrl: server.adminUrl, nodeArgs: [] });
  const wallets = await seedWallets({ adminUrl: server.adminUrl, url: product.url, count: WALLETS }).finally(() =>
    product.stop(),
  );
  const parts = { server, dataDir, wallets, plan };
  const healthPort = await freshPort();
  say('With and without metrics');
  const metrics = await measurePairs(parts, { env: { HEALTH_PORT: String(healthPort) }, healthPort });
  say('With and without traces');
  const traces = await measurePairs(parts, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint } });
  return page(plan, { metrics, traces });
}

function page({ pairs, seconds }, results) {
  const percent = (ratio) => `${((ratio - 1) * 100).toFixed(1)} %`;
  const row = ([name, { without, with: beside, ratio }]) =>
    `| ${name} | ${without.toFixed(3)} s | ${beside.toFixed(3)} s | ${percent(ratio)} |`;
  return [
    '# What watching costs',
    '',
    `Made by \`npm run bench -- --overhead\`: CPU seconds of the embedded shape and its PostgreSQL for 1,000 payments, 64 in`,
    `flight, medians of ${pairs} alternating pairs of ${seconds} s. Metrics are asked for every second; one trace in 20 is kept`,
    'and sent, as it is by default. The product was started anew for each run.',
    '',
    '|      | without | with | more, median of the pairs |',
    '| ---- | ------- | ---- | ------------------------- |',
    ...Object.entries(results).map(row),
    '',
  ];
}
