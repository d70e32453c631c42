import { join } from 'node:path';
import { freePort } from '@settle/local-kafka';
import { postgresCpuSeconds, processCpuSeconds } from './cpu.mjs';
import { createLoad, generatorName } from './load.mjs';
import { asAdmin, startProduct, startServer } from './product.mjs';
import { startProvider } from './provider-process.mjs';
import { providerReport } from './provider-report.mjs';
import { inRounds, measurer, say } from './rounds.mjs';
import { makePeople, seedWallets } from './seed.mjs';
import { createSourceLoad } from './source-load.mjs';

export const PAGE = 'performance-provider.md';

const FULL = { rounds: 12, seconds: 10 };
const QUICK = { rounds: 2, seconds: 3 };

const WALLETS = 1_000;
const IN_FLIGHT = 64;
const FROM_SOURCES_PER_SECOND = 50;
/** Five charges of a user without an answer, or declined, are the most of a day: these are enough for every round. */
const SOURCE_PAYERS = 2_000;
const WARM_SECONDS = 5;
const ALL_WALLETS = [0, WALLETS];
const PAYS = { mode: 'pay', payers: ALL_WALLETS, payees: ALL_WALLETS, inFlight: IN_FLIGHT };

/** A charge that never reached the provider has its answer a minute later; the list of changes is read every minute. */
const SETTLED_TIMEOUT_MS = 150_000;
const POLL_MS = 500;
/** After five timeouts in a row payments do not wait for the provider for 10 s. */
const BREAKER_MS = 11_000;

const openPayments = async (adminUrl) =>
  Number(
    (await asAdmin(adminUrl, (client) => client.query('select count(*) from open_work'), 'settle_payments')).rows[0]
      .count,
  );

/** Resolves with the seconds until no payment waits for the provider; throws if one does for too long. */
async function untilNoneWaits(adminUrl) {
  const beganAtMs = performance.now();
  const seconds = () => (performance.now() - beganAtMs) / 1_000;
  for (;;) {
    const open = await openPayments(adminUrl);
    if (open === 0) return seconds();
    if (seconds() * 1_000 > SETTLED_TIMEOUT_MS) throw new Error(`${open} payments still wait for the provider.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * Starts the product on a server of its own, with wallets and with people who have only a source, and a provider with its
 * books on another server.
 */
async function prepare(dataDir, stops) {
  const server = await startServer(dataDir);
  stops.push(() => server.stop());
  const { adminUrl } = server;
  const first = await startProduct({ dataDir, adminUrl, nodeArgs: [] });
  const people = {};
  try {
    people.wallets = await seedWallets({ adminUrl, url: first.url, count: WALLETS });
    const sources = { count: SOURCE_PAYERS, first: WALLETS, sourceOf: ({ id }) => `demo-card-${id}` };
    people.payers = (await makePeople({ adminUrl, url: first.url, ...sources })).people;
  } finally {
    await first.stop();
  }
  const books = await startServer(join(dataDir, 'provider'));
  stops.push(() => books.stop());
  const port = await freePort();
  const productUrl = `http://localhost:${port}`;
  const provider = await startProvider({ adminUrl: books.adminUrl, dataDir, productUrl });
  stops.push(() => provider.stop());
  const env = { PORT: String(port), FUNDING_PROVIDER_URL: provider.url, FUNDING_PROVIDER_SECRET: provider.secret };
  const product = await startProduct({ dataDir, adminUrl, nodeArgs: [], env });
  stops.push(() => product.stop());
  return { server, provider, product, ...people };
}

/** Measures payments from balances beside those from sources, while the provider answers and while it does not. */
export async function run({ dataDir, stops, isQuick }) {
  const plan = isQuick ? QUICK : FULL;
  if (processCpuSeconds(process.pid) === null) throw new Error('This system does not tell how much CPU a process uses');
  say(`Starting the product and a provider, ${WALLETS} people with money and ${SOURCE_PAYERS} with a source`);
  const { server, provider, product, wallets, payers } = await prepare(dataDir, stops);
  const { url, pid } = product;
  const { adminUrl } = server;
  const load = createLoad({ url, wallets, dir: dataDir });
  const startSources = createSourceLoad({ url, payers, payees: wallets, perSecond: FROM_SOURCES_PER_SECOND });
  const readCpu = () => ({ node: processCpuSeconds(pid), postgres: postgresCpuSeconds(server.pid) });
  const measureBalances = measurer(load, readCpu);
  const measure = async (seconds) => {
    const stopSources = startSources();
    const balances = await measureBalances({ ...PAYS, seconds });
    return { ...balances, fromSources: await stopSources() };
  };
  say('Warming up');
  await measure(WARM_SECONDS);
  await untilNoneWaits(adminUrl);

  const rounds = [];
  await inRounds(plan.rounds, async () => {
    if (rounds.length > 0) await new Promise((resolve) => setTimeout(resolve, BREAKER_MS));
    const well = await measure(plan.seconds);
    await untilNoneWaits(adminUrl);
    provider.hang();
    const hanging = await measure(plan.seconds).finally(provider.resume);
    const open = await openPayments(adminUrl);
    const isLast = rounds.length + 1 === plan.rounds;
    const caughtUpSeconds = isLast && isQuick ? null : await untilNoneWaits(adminUrl);
    rounds.push({ well, hanging, open, caughtUpSeconds });
    say(`  ${well.perSecond.toFixed(0)}/s well, ${hanging.perSecond.toFixed(0)}/s hanging, ${open} open`);
  });
  const version = await asAdmin(adminUrl, (client) => client.query('show server_version'));
  return providerReport({
    ...{ plan, rounds, perSecond: FROM_SOURCES_PER_SECOND, inFlight: IN_FLIGHT, wallets: WALLETS },
    ...{ payers: SOURCE_PAYERS, generator: generatorName, postgresVersion: version.rows[0].server_version },
  });
}
