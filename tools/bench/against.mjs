import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { againstReport, reportRounds } from './against-report.mjs';
import { IN_POSTGRES, openEventStoreDb } from './event-store-place.mjs';
import { generatorName } from './load.mjs';
import { PAYMENT_ROWS, PAYMENT_ROW_WALLETS, READ_ROWS, SPREAD_ROWS } from './payment-rows.mjs';
import { say, selectRows } from './rounds.mjs';
import { measureInTurn, prepareSide } from './sides.mjs';

const [ALONE, SPREAD, POPULAR] = PAYMENT_ROWS;
/** By where events are stored; distributed, two products need the memory and the cores that more rows would take. */
const ROWS = {
  postgres: [ALONE, ...SPREAD_ROWS, POPULAR, ...READ_ROWS],
  stack: [ALONE, SPREAD, POPULAR, ...READ_ROWS],
  eventstoredb: PAYMENT_ROWS,
};
const FULL = { rounds: 12, seconds: 4 };
const QUICK = { rounds: 4, seconds: 2 };
/** A product that was just started is slow at first. */
const WARM_SECONDS = 10;
/** Connections at half of the load, most of which wait at any moment. */
const CONNECTIONS_AT_HALF = 200;

const ROOT = join(import.meta.dirname, '..', '..');

/** The file in `docs/` of what `run` returns. */
export const pageOf = ({ isStack, eventStore }) =>
  ({ postgres: isStack ? 'performance-against-stack.md' : 'performance-against.md' })[eventStore] ??
  `performance-against-${eventStore}.md`;

/** The newest commit of a checkout. */
const commitOf = (checkout) =>
  execFileSync('git', ['log', '-1', '--format=%h of %cs', '--abbrev=8'], { cwd: checkout, encoding: 'utf8' }).trim();

/**
 * Measures this code and that of another checkout in alternating rounds, in one process or distributed: payments/s and
 * the cost of a payment. Returns the lines of the page; the rounds are printed meanwhile.
 * @param checkout the folder of a built checkout, such as a `git worktree` of the commit before
 */
export async function run({ dataDir, stops, isQuick, checkout, isStack, eventStore, row }) {
  if (eventStore === 'eventstoredb' && (process.env.EVENTSTORE_URL ?? '') !== '')
    throw new Error('Two products need two logs: without EVENTSTORE_URL each gets a stand-in');
  const plan = isQuick ? QUICK : FULL;
  const prepare = async (folder, name) => {
    const env = eventStore === 'postgres' ? IN_POSTGRES : (await openEventStoreDb(stops)).settings;
    const walletCount = PAYMENT_ROW_WALLETS;
    return prepareSide({ checkout: folder, dataDir: join(dataDir, name), walletCount, isStack, env, stops });
  };
  say('Starting both products, each on a server of its own');
  const sides = { before: await prepare(resolve(checkout), 'before'), now: await prepare(ROOT, 'now') };
  for (const side of Object.values(sides)) await side.measure({ ...SPREAD, seconds: WARM_SECONDS });
  const { perSecond } = await sides.before.measure({ ...SPREAD, seconds: WARM_SECONDS });
  const half = { ...SPREAD, name: 'half of the old 64', inFlight: CONNECTIONS_AT_HALF, perSecond: perSecond / 2 };
  const rows = selectRows([...ROWS[isStack ? 'stack' : eventStore], half], row);
  const measured = await measureInTurn(sides, rows, plan);
  for (const each of measured) say(reportRounds(each).join('\n'));
  const commits = { before: commitOf(checkout), now: commitOf(ROOT) };
  return againstReport({ ...plan, rows: measured, commits, isStack, eventStore, generator: generatorName });
}
