import { join } from 'node:path';
import { PROJECTIONS } from '../../apps/payments-service/dist/read-models/registry.js';
import { largeReport } from './large-report.mjs';
import { openSeeder } from './large-seed.mjs';
import { createLoad, generatorName } from './load.mjs';
import { runOperators } from './operators.mjs';
import { asAdmin, startProduct, startServer } from './product.mjs';
import { inRounds, median, middleOf, say } from './rounds.mjs';
import { databaseUrl, fundWallets, makePeople, makeUsers } from './seed.mjs';
import { measureTopic } from './topic-size.mjs';

export const PAGE = 'performance-large.md';

const FULL = { payments: 1_000_000, rounds: 12, seconds: 5, starts: 3 };
const QUICK = { payments: 20_000, rounds: 1, seconds: 3, starts: 1 };
const PAYMENTS_PER_USER = 10;
const READS = ['/v1/payments', '/v1/me'];
/** Users with tokens, who pay and read on either side. */
const PAYERS = 1_000;
const IN_FLIGHT = 64;
const WARM_SECONDS = 5;
const POLL_MS = 100;

/** A product on a server of its own, with users who have money. */
async function prepareSide(dataDir, stops) {
  const server = await startServer(dataDir);
  stops.push(() => server.stop());
  const { adminUrl } = server;
  const side = { dataDir, adminUrl };
  stops.push(() => side.product?.stop());
  side.start = async () => (side.product = await startProduct({ dataDir, adminUrl, nodeArgs: [] }));
  await side.start();
  const people = await makePeople({ adminUrl, url: side.product.url, count: PAYERS });
  side.wallets = await fundWallets(side.product.url, people);
  return side;
}

/** Restarts both products in turn. Returns the seconds until each was ready, and leaves both running. */
async function measureStarts(sides, starts) {
  const seconds = { small: [], large: [] };
  for (let start = 0; start < starts; start += 1) {
    for (const [name, side] of Object.entries(sides)) {
      await side.product.stop();
      const beganAtMs = performance.now();
      await side.start();
      seconds[name].push((performance.now() - beganAtMs) / 1_000);
    }
  }
  return { small: median(seconds.small), large: median(seconds.large) };
}

/** Measures pays between the payers, pays from them to all users, and reads, on both sides in turn. */
async function measureLoads(sides, { rounds, seconds }) {
  const payers = [0, PAYERS];
  const rows = [
    { name: 'pays between 1,000 wallets', request: () => ({ mode: 'pay', payees: payers }) },
    { name: 'pays to all users', request: ({ wallets }) => ({ mode: 'pay', payees: [0, wallets.length] }) },
    ...READS.map((path) => ({ name: `GET ${path}`, request: () => ({ mode: 'get', path, payees: payers }) })),
  ].map((row) => ({ ...row, small: [], large: [] }));
  const loads = Object.entries(sides).map(([name, side]) => {
    const { product, wallets, dataDir } = side;
    const load = createLoad({ url: product.url, wallets, dir: dataDir });
    return { name, side, load: (request) => load({ payers, inFlight: IN_FLIGHT, ...request }) };
  });
  for (const { load } of loads) await load({ mode: 'pay', payees: payers, seconds: WARM_SECONDS });
  await inRounds(rounds, async () => {
    for (const row of rows) {
      for (const { name, side, load } of loads) row[name].push(await load({ ...row.request(side), seconds }));
      loads.reverse();
    }
  });
  return rows.map(({ name, small, large }) => {
    const ratio = median(large.map(({ perSecond }, round) => perSecond / small[round].perSecond));
    return { name, small: middleOf(small), large: middleOf(large), ratio };
  });
}

const valueOf = async (adminUrl, query) =>
  Number((await asAdmin(adminUrl, (client) => client.query(query), 'settle_payments')).rows[0].value);

const newestPosition = (adminUrl) => valueOf(adminUrl, 'select coalesce(max(position), 0) as value from events');
const sizes = async (adminUrl) => ({
  events: await valueOf(adminUrl, `select pg_total_relation_size('events') as value`),
  database: await valueOf(adminUrl, 'select pg_database_size(current_database()) as value'),
});

/** Resolves with the seconds until every read model of the live ledger has reached the end of the log. */
async function untilProjected(adminUrl, end) {
  const beganAtMs = performance.now();
  const names = PROJECTIONS.map(({ name }) => `'${name}'`).join(', ');
  const reached = `select min(checkpoint_position(name)) as value from checkpoints where name in (${names})`;
  while ((await valueOf(adminUrl, reached)) < end) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  return (performance.now() - beganAtMs) / 1_000;
}

/** Appends the events of all payments. Answers how many there are and how long that took. */
async function seed({ adminUrl, userIds, payments }) {
  const seeder = await openSeeder(databaseUrl(adminUrl, 'settle_payments'));
  try {
    say('  adding money to every wallet');
    await seeder.fund(userIds);
    say('  appending payments');
    const beganAtMs = performance.now();
    const events = await seeder.pay(userIds, payments);
    return { events, seconds: (performance.now() - beganAtMs) / 1_000 };
  } finally {
    await seeder.close();
  }
}

/** Gives a side its long log and projects it. Answers what that took and its size. */
async function makeLarge(side, { payments, users }) {
  const { adminUrl, wallets } = side;
  say(`Making ${users - PAYERS} more users`);
  const count = users - PAYERS;
  const others = await makeUsers({ adminUrl, url: side.product.url, first: PAYERS, count });
  await side.product.stop();
  const [before, from] = [await sizes(adminUrl), await newestPosition(adminUrl)];
  say(`Appending ${payments} payments`);
  const userIds = [...wallets.map(({ id }) => id), ...others];
  const appended = await seed({ adminUrl, userIds, payments });
  const end = await newestPosition(adminUrl);
  say('Projecting them');
  await side.start();
  const projected = { events: end - from, seconds: await untilProjected(adminUrl, end) };
  const after = await sizes(adminUrl);
  wallets.push(...others.map((id) => ({ id, token: '-' })));
  const bytes = { events: after.events - before.events, database: after.database - before.database };
  return { appended, projected, bytes };
}

/** Measures the embedded shape with few payments beside one with many. Answers the lines of the page. */
export async function run({ dataDir, stops, isQuick, payments }) {
  const plan = { ...(isQuick ? QUICK : FULL), ...(payments === undefined ? {} : { payments }) };
  const users = Math.max(PAYERS, Math.round(plan.payments / PAYMENTS_PER_USER));
  say(`Starting two servers and products, each with ${PAYERS} people with money`);
  const small = await prepareSide(join(dataDir, 'small'), stops);
  const large = await prepareSide(join(dataDir, 'large'), stops);
  const { adminUrl } = large;
  await small.product.stop();
  const made = await makeLarge(large, { ...plan, users });
  for (const side of [small, large]) {
    await asAdmin(side.adminUrl, (client) => client.query('vacuum analyze'), 'settle_payments');
    await asAdmin(side.adminUrl, (client) => client.query('checkpoint'));
  }
  say('Restarts');
  const starts = await measureStarts({ small, large }, plan.starts);
  say('Loads');
  const loads = await measureLoads({ small, large }, plan);
  for (const side of [small, large]) await side.product.stop();

  say('Rebuilding all read models, and verifying');
  const log = { events: await valueOf(adminUrl, 'select count(*) as value from events') };
  const rebuilt = await runOperators({ adminUrl, command: 'projections', args: ['rebuild', 'all'] });
  const verified = await runOperators({ adminUrl, command: 'ledger', args: ['verify'] });
  say('The topic of public events, on the distributed shape');
  const topicBytes = await measureTopic({ dataDir: join(dataDir, 'topic'), stops, seconds: plan.seconds });
  const version = await asAdmin(adminUrl, (client) => client.query('show server_version'));
  const postgresVersion = version.rows[0].server_version;
  const results = { plan, users, starts, loads, ...made, log, rebuilt, verified, topicBytes };
  return largeReport({ ...results, postgresVersion, generatorName });
}
