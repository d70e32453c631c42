import { join } from 'node:path';
import { IN_POSTGRES, measureBareAppends, openEventStoreDb } from './event-store-place.mjs';
import { eventStoreDbReport } from './eventstoredb-report.mjs';
import { generatorName } from './load.mjs';
import { PAYMENT_ROWS, PAYMENT_ROW_WALLETS } from './payment-rows.mjs';
import { asAdmin } from './product.mjs';
import { inRounds, median, say, selectRows } from './rounds.mjs';
import { measureInTurn, prepareSide } from './sides.mjs';

export const PAGE = 'performance-eventstoredb.md';

const FULL = { rounds: 12, seconds: 4, bareRounds: 3, bareSeconds: 4 };
const QUICK = { rounds: 2, seconds: 2, bareRounds: 1, bareSeconds: 2 };
const IN_FLIGHT = [1, 64];
/** A product that was just started is slow at first. */
const WARM_SECONDS = 10;

const ROOT = join(import.meta.dirname, '..', '..');

/** Adds the appends of a payment to the measurements of a side; null where the server does not tell. */
function countingAppends({ measure, ...side }, countAppends) {
  return {
    ...side,
    async measure(request) {
      const before = await countAppends();
      const measured = await measure(request);
      const appends = await countAppends();
      return { ...measured, appendsPerRequest: before === null ? null : (appends - before) / measured.requests };
    },
  };
}

/** Returns the median rates of appends without the product, by how many are in flight. */
async function measureBare(url, { bareRounds, bareSeconds: seconds }) {
  const rates = IN_FLIGHT.map((inFlight) => ({ inFlight, rounds: [] }));
  await inRounds(bareRounds, async () => {
    for (const { inFlight, rounds } of rates) rounds.push(await measureBareAppends({ url, inFlight, seconds }));
  });
  return Object.fromEntries(rates.map(({ inFlight, rounds }) => [inFlight, median(rounds)]));
}

/** Measures the embedded shape with events in EventStoreDB beside events in PostgreSQL. Returns the lines of the page. */
export async function run({ dataDir, stops, isQuick, profileDir, row }) {
  const plan = isQuick ? QUICK : FULL;
  const rows = selectRows(PAYMENT_ROWS, row);
  const nodeArgs = profileDir === null ? [] : ['--cpu-prof', '--cpu-prof-dir', profileDir];
  const prepare = (name, env) =>
    prepareSide({
      ...{ checkout: ROOT, dataDir: join(dataDir, name), walletCount: PAYMENT_ROW_WALLETS },
      ...{ env, nodeArgs, stops },
    });
  say(`Starting a product for each event store, with ${PAYMENT_ROW_WALLETS} people with money`);
  const place = await openEventStoreDb(stops);
  const sides = {
    eventstoredb: countingAppends(await prepare('eventstoredb', place.settings), place.countAppends),
    postgres: await prepare('postgres', IN_POSTGRES),
  };
  say(`Warming up with ${generatorName}`);
  for (const side of Object.values(sides)) await side.measure({ ...rows[0], inFlight: 64, seconds: WARM_SECONDS });
  say('Payments');
  const measured = await measureInTurn(sides, rows, plan);
  say('Appends without the product');
  const bare = await measureBare(place.url, plan);
  const version = await asAdmin(sides.postgres.adminUrl, (client) => client.query('show server_version'));
  return eventStoreDbReport({
    ...{ plan, bare, isStandIn: place.isStandIn, generator: generatorName },
    rows: measured.map(({ name, rounds }, at) => ({ name, rounds, inFlight: rows[at].inFlight })),
    postgresVersion: version.rows[0].server_version,
  });
}
