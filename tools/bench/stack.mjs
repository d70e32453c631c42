import { join } from 'node:path';
import { startKafka } from '@settle/local-kafka';
import { postgresCpuSeconds, processCpuSeconds } from './cpu.mjs';
import { createLoad, generatorName } from './load.mjs';
import { asAdmin, startServer, startStack } from './product.mjs';
import { measureRequestReply } from './request-reply.mjs';
import { inRounds, measurer, middleOf, say } from './rounds.mjs';
import { seedWallets } from './seed.mjs';
import { stackReport } from './stack-report.mjs';

export const PAGE = 'performance-stack.md';

/** The broker's virtual machine has compiled what matters after some ten seconds of load. */
const WARM_UP_SECONDS = 16;
/**
 * Processes of a service that begin under load share the cores with those that are warm, and each has all the code to
 * compile for its part of the load: in the first seconds three instances spend most of what they take on that.
 */
const WARM_UP = { warmUpSeconds: WARM_UP_SECONDS, newProcessesSeconds: 60 };
const FULL = { rounds: 3, seconds: 8, requestReplySeconds: 4, ...WARM_UP };
const QUICK = { rounds: 1, seconds: 3, requestReplySeconds: 2, ...WARM_UP };

const WALLETS = 1_000;
const IN_FLIGHT = [1, 16, 64];
const MOST_IN_FLIGHT = 64;
/** Most of them wait at any moment, so that arrivals do not wait for answers. */
const CONNECTIONS_AT_HALF = 200;
const POPULAR_PAYERS = 300;
/** One before and after three, so that the machine's own changes weigh on both. */
const INSTANCES = [1, 3, 1];

/** The 1,000 are followed by the popular payee. */
const ALL_WALLETS = [0, WALLETS];
const popularPayee = [WALLETS, WALLETS + 1];
const PAY = { name: 'POST /v1/payments', mode: 'pay', payers: ALL_WALLETS, payees: ALL_WALLETS };
const GETS = ['/v1/payments', '/v1/me'].map((path) => ({ ...PAY, name: `GET ${path}`, mode: 'get', path }));
const LOADS = [PAY, ...GETS];

/** Reads the CPU seconds of every kind of process, those that there are now. */
function cpuReader({ stack, server, kafka }) {
  return async () => {
    const kinds = Object.entries(await stack.processes()).map(([kind, pids]) => [
      kind,
      pids.map(processCpuSeconds).reduce((sum, seconds) => (seconds === null ? null : sum + seconds), 0),
    ]);
    const broker = processCpuSeconds(kafka.pid);
    return { ...Object.fromEntries(kinds), broker, postgres: postgresCpuSeconds(server.pid) };
  };
}

async function measureLoads({ plan, measure }) {
  const rows = LOADS.flatMap((load) => IN_FLIGHT.map((inFlight) => ({ load, inFlight, rounds: [] })));
  await inRounds(plan.rounds, async () => {
    for (const { load, inFlight, rounds } of rows) rounds.push(await measure({ ...load, inFlight }));
  });
  return rows.map(({ load, inFlight, rounds }) => ({ name: load.name, inFlight, measured: middleOf(rounds) }));
}

/** Half of what was reached with the most in flight. */
async function measureHalf({ plan, measure, loads }) {
  const rows = LOADS.map((load) => {
    const full = loads.find(({ name, inFlight }) => name === load.name && inFlight === MOST_IN_FLIGHT);
    return { load: { ...load, inFlight: CONNECTIONS_AT_HALF, perSecond: full.measured.perSecond / 2 }, rounds: [] };
  });
  await inRounds(plan.rounds, async () => {
    for (const { load, rounds } of rows) rounds.push(await measure(load));
  });
  return rows.map(({ load, rounds }) => ({ name: load.name, measured: middleOf(rounds) }));
}

/**
 * Appends that the log refused so far because another process had been there first: each ends a transaction of the
 * ledger's database, and nothing else does in a healthy system.
 */
async function conflictsOf(adminUrl) {
  const count = "select xact_rollback as count from pg_stat_database where datname = 'settle_payments'";
  return Number((await asAdmin(adminUrl, (client) => client.query(count))).rows[0].count);
}

async function measureInstances({ plan, measure, stack, adminUrl }) {
  const popular = { ...PAY, payers: [0, POPULAR_PAYERS], payees: popularPayee };
  const rounds = { 1: { spread: [], popular: [] }, 3: { spread: [], popular: [] } };
  const withConflicts = async (load) => {
    const before = await conflictsOf(adminUrl);
    const measured = await measure(load);
    return { ...measured, conflictsPerSecond: ((await conflictsOf(adminUrl)) - before) / measured.seconds };
  };
  let running = 1;
  for (const instances of INSTANCES) {
    await stack.scale(instances);
    await measure({ ...PAY, seconds: instances > running ? plan.newProcessesSeconds : plan.warmUpSeconds });
    running = instances;
    await inRounds(instances === 1 ? Math.ceil(plan.rounds / 2) : plan.rounds, async () => {
      rounds[instances].spread.push(await withConflicts(PAY));
      rounds[instances].popular.push(await withConflicts(popular));
    });
  }
  const rows = Object.entries(rounds).map(([instances, { spread, popular: ofPopular }]) => ({
    instances: Number(instances),
    spread: middleOf(spread),
    popular: middleOf(ofPopular),
  }));
  const [one, three] = rows;
  const ratioOf = (what) => three[what].perSecond / one[what].perSecond;
  return { rows, ratios: { spread: ratioOf('spread'), popular: ratioOf('popular') } };
}

/** Measures the distributed shape, on a broker and a server of its own. Answers the lines of the page. */
export async function run({ dataDir, stops, profileDir, isQuick }) {
  const plan = isQuick ? QUICK : FULL;
  say('Starting PostgreSQL and Kafka');
  const server = await startServer(dataDir);
  stops.push(() => server.stop());
  const kafka = await startKafka({ dataDir, port: null, isForLong: true });
  stops.push(() => kafka.stop());
  const { adminUrl } = server;
  const { brokers } = kafka;
  say('Requests and replies alone');
  const requestReply = await measureRequestReply({ brokers, brokerPid: kafka.pid, plan, stops });

  say('Starting the stack');
  const stack = await startStack({ dataDir: join(dataDir, 'stack'), adminUrl, brokers, profileDir });
  stops.push(() => stack.stop());
  say(`Making ${WALLETS + 1} people with money`);
  const wallets = await seedWallets({ adminUrl, url: stack.url, count: WALLETS + 1 });
  await asAdmin(adminUrl, (client) => client.query('checkpoint'));
  const generate = createLoad({ url: stack.url, wallets, dir: dataDir });
  const load = (request) => generate({ inFlight: MOST_IN_FLIGHT, seconds: plan.seconds, ...request });
  const measure = measurer(load, cpuReader({ stack, server, kafka }));
  const parts = { plan, measure, stack, adminUrl };
  say(`Warming up with ${generatorName}`);
  for (const warmUp of LOADS) await load({ ...warmUp, seconds: Math.ceil(plan.warmUpSeconds / LOADS.length) });

  say('Commands and queries');
  const loads = await measureLoads(parts);
  say('At half of that');
  const half = await measureHalf({ ...parts, loads });
  say('One and three payments instances');
  const instances = await measureInstances(parts);
  const version = await asAdmin(adminUrl, (client) => client.query('show server_version'));
  return stackReport({
    ...{ requestReply, loads, half, instances },
    ...{ plan, wallets: WALLETS, popularPayers: POPULAR_PAYERS, generator: generatorName },
    postgresVersion: version.rows[0].server_version,
  });
}
