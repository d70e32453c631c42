import { postgresCpuSeconds, processCpuSeconds } from './cpu.mjs';
import { prepareFloor } from './floor.mjs';
import { createLoad, generatorName } from './load.mjs';
import { measureOverload } from './overload.mjs';
import { preparePgbench } from './pgbench.mjs';
import { asAdmin, startProduct, startServer } from './product.mjs';
import { report } from './report.mjs';
import { inRounds, measurer, middle, middleOf, say } from './rounds.mjs';
import { eachOf, pay, seedWallets } from './seed.mjs';

export const PAGE = 'performance.md';

const FULL = { rounds: 3, seconds: 8, overloadSeconds: 30, scale: 64, histories: [1_000, 10_000, 100_000] };
const QUICK = { rounds: 1, seconds: 4, overloadSeconds: 5, scale: 16, histories: [100, 1_000, 5_000] };

const WALLETS = 1_000;
const IN_FLIGHT = [1, 16, 64, 256];
const USUAL_IN_FLIGHT = 64;
const POPULAR_PAYERS = 300;
const READS = ['/v1/payments', '/v1/me'];
/** Built one by one up to here, so that a short history is exactly that long. */
const EXACT_HISTORY = 10_000;

/** The 1,000 are followed by the popular payee and by the wallets whose history is counted. */
const ALL_WALLETS = [0, WALLETS];
const popularPayee = [WALLETS, WALLETS + 1];
const historyWallet = (at) => [WALLETS + 1 + at, WALLETS + 2 + at];
const spreadPay = { mode: 'pay', payers: ALL_WALLETS, payees: ALL_WALLETS };

/** The median of the ratios of each round. */
const ratioOf = (ours, theirs) => middle(ours.map(({ perSecond }, at) => perSecond / theirs[at].perSecond));

async function measureSpread({ plan, measure, floor, pgbench }) {
  const rows = IN_FLIGHT.map((inFlight) => ({ inFlight, ours: [], least: [], theirs: [] }));
  await inRounds(plan.rounds, async () => {
    for (const { inFlight, ours, least, theirs } of rows) {
      ours.push(await measure({ ...spreadPay, inFlight }));
      least.push(await floor({ ...spreadPay, inFlight }));
      if (pgbench !== null) theirs.push(await pgbench({ clients: inFlight, seconds: plan.seconds }));
    }
  });
  return rows.map(({ inFlight, ours, least, theirs }) => ({
    inFlight,
    measured: middleOf(ours),
    floor: middleOf(least),
    floorRatio: ratioOf(ours, least),
    tpcb: theirs.length === 0 ? null : middle(theirs),
    ratio: theirs.length === 0 ? null : middle(theirs.map((tps, at) => ours[at].perSecond / tps)),
  }));
}

async function measurePopular({ plan, measure, floor }) {
  const [spread, one, least] = [[], [], []];
  const popularPay = { mode: 'pay', payers: [0, POPULAR_PAYERS], payees: popularPayee };
  await inRounds(plan.rounds, async () => {
    spread.push(await measure(spreadPay));
    one.push(await measure(popularPay));
    least.push(await floor(popularPay));
  });
  const ratios = { ratio: ratioOf(one, spread), floorRatio: ratioOf(one, least) };
  return { spread: middleOf(spread), one: middleOf(one), floor: middleOf(least), ...ratios };
}

/** A short history would not stay short for long: each round then has a wallet of its own. */
const walletsFor = ({ rounds }, length) => (length <= EXACT_HISTORY ? rounds : 1);

async function buildHistory({ load, product, wallets, at, length }) {
  const payer = wallets[historyWallet(at)[0]];
  const exact = Math.min(length, EXACT_HISTORY);
  const payees = Array.from({ length: exact }, (_, number) => wallets[number % WALLETS]);
  await eachOf(payees, USUAL_IN_FLIGHT, ({ id }) => pay(product.url, { token: payer.token, to: id, amount: '0.01' }));
  let made = exact;
  while (made < length) {
    const request = { mode: 'pay', payers: historyWallet(at), payees: ALL_WALLETS, inFlight: 128, seconds: 2 };
    made += (await load(request)).requests;
  }
  return made;
}

async function measureHistory({ plan, measure, ...parts }) {
  const rows = [];
  let next = 0;
  for (const length of plan.histories) {
    const from = next;
    next += walletsFor(plan, length);
    let earlier = 0;
    for (let at = from; at < next; at += 1) earlier = await buildHistory({ ...parts, at, length });
    rows.push({ from, own: next - from, earlier, rounds: [] });
  }
  await inRounds(plan.rounds, async () => {
    for (const { from, own, rounds } of rows) {
      const at = from + (rounds.length % own);
      rounds.push(await measure({ mode: 'pay', payers: historyWallet(at), payees: ALL_WALLETS, seconds: 1 }));
    }
  });
  const measured = rows.map(({ earlier, rounds }) => ({ earlier, measured: middleOf(rounds) }));
  const [first, last] = [rows[0].rounds, rows.at(-1).rounds];
  return {
    rows: measured,
    cpuRatio: middle(last.map(({ cpuPer1000 }, at) => totalOf(cpuPer1000) / totalOf(first[at].cpuPer1000))),
    timeRatio: middle(last.map(({ perSecond }, at) => first[at].perSecond / perSecond)),
  };
}

async function measureReads({ plan, measure }) {
  const rows = READS.map((path) => ({ path, rounds: [] }));
  await inRounds(plan.rounds, async () => {
    for (const { path, rounds } of rows) {
      rounds.push(await measure({ mode: 'get', path, payers: ALL_WALLETS, payees: ALL_WALLETS }));
    }
  });
  return rows.map(({ path, rounds }) => ({ path, measured: middleOf(rounds) }));
}

/** Returns the total cost of a request, or null if it is unknown. */
const totalOf = ({ node, postgres }) => (node === null ? null : node + postgres);

/** Measures the embedded shape beside TPC-B on the same server. Answers the lines of the page. */
export async function run({ dataDir, stops, profileDir, isQuick }) {
  const plan = isQuick ? QUICK : FULL;
  say('Starting PostgreSQL and the product');
  const server = await startServer(dataDir);
  stops.push(() => server.stop());
  const { adminUrl } = server;
  const nodeArgs = profileDir === null ? [] : ['--cpu-prof', '--cpu-prof-dir', profileDir];
  const product = await startProduct({ dataDir, adminUrl, nodeArgs });
  stops.push(() => product.stop());

  const count = WALLETS + 1 + plan.histories.reduce((sum, length) => sum + walletsFor(plan, length), 0);
  say(`Making ${count} people with money`);
  const wallets = await seedWallets({ adminUrl, url: product.url, count });
  say(`Filling pgbench's tables, scale ${plan.scale}`);
  const pgbench = await preparePgbench({ adminUrl, scale: plan.scale });
  if (pgbench === null) say('pgbench is not installed: no TPC-B beside it');

  // The data of the preparations is on disk before the first round, on either side.
  await asAdmin(adminUrl, (client) => client.query('checkpoint'));
  const generate = createLoad({ url: product.url, wallets, dir: dataDir });
  const load = (request) => generate({ inFlight: USUAL_IN_FLIGHT, seconds: plan.seconds, ...request });
  const readCpu = () => ({ node: processCpuSeconds(product.pid), postgres: postgresCpuSeconds(server.pid) });
  const generateFloor = await prepareFloor({ adminUrl, wallets, dir: dataDir, stops });
  const floor = (request) => generateFloor({ inFlight: USUAL_IN_FLIGHT, seconds: plan.seconds, ...request });
  const parts = { plan, load, product, wallets, floor, pgbench, measure: measurer(load, readCpu) };
  say(`Warming up with ${generatorName}`);
  await load(spreadPay);
  await floor(spreadPay);
  if (pgbench !== null) await pgbench({ clients: USUAL_IN_FLIGHT, seconds: plan.seconds });

  const version = await asAdmin(adminUrl, (client) => client.query('show server_version'));
  const results = { ...plan, wallets: WALLETS, popularPayers: POPULAR_PAYERS, generator: generatorName };
  results.postgresVersion = version.rows[0].server_version;
  say('Pays between all wallets, the floor, and TPC-B');
  results.spread = await measureSpread(parts);
  say('One popular payee');
  results.popular = await measurePopular(parts);
  say('Reads');
  results.reads = await measureReads(parts);
  say('Twice the load that it can serve');
  results.overload = await measureOverload({ ...parts, request: spreadPay });
  say('Wallets with a history');
  results.history = await measureHistory(parts);
  return report(results);
}
