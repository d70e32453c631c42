import { join, resolve } from 'node:path';
import { IN_POSTGRES, openEventStoreDb } from './event-store-place.mjs';
import { PAYMENT_ROWS, PAYMENT_ROW_WALLETS } from './payment-rows.mjs';
import { median, say, selectRows } from './rounds.mjs';
import { measureInTurn, prepareSide } from './sides.mjs';

const WALLETS = 200;
const SPREAD = { name: '64 in flight', mode: 'pay', payers: [0, WALLETS], payees: [0, WALLETS], inFlight: 64 };

/** By where events are stored. */
const PLANS = {
  postgres: { rows: [SPREAD], walletCount: WALLETS, rounds: 12, seconds: 10 },
  eventstoredb: { rows: PAYMENT_ROWS, walletCount: PAYMENT_ROW_WALLETS, rounds: 12, seconds: 4 },
};
const QUICK = { rounds: 4, seconds: 2 };
/** A product that was just started is slow at first. */
const WARM_SECONDS = 10;

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * Measures this code and that of another checkout in alternating rounds: payments/s and the cost of a payment, and the
 * median of the ratios of each round, in one process or distributed. Returns the lines to print.
 * @param checkout the folder of a built checkout, such as a `git worktree` of the commit before
 */
export async function run({ dataDir, stops, isQuick, checkout, isStack, eventStore, row }) {
  if (eventStore === 'eventstoredb' && (process.env.EVENTSTORE_URL ?? '') !== '')
    throw new Error('Two products need two logs: without EVENTSTORE_URL each gets a stand-in');
  const { walletCount, ...plan } = { ...PLANS[eventStore], ...(isQuick ? QUICK : {}) };
  const rows = selectRows(plan.rows, row);
  const prepare = async (folder, name) => {
    const env = eventStore === 'postgres' ? IN_POSTGRES : (await openEventStoreDb(stops)).settings;
    return prepareSide({ checkout: folder, dataDir: join(dataDir, name), walletCount, isStack, env, stops });
  };
  say('Starting both products, each on a server of its own');
  const sides = { before: await prepare(resolve(checkout), 'before'), now: await prepare(ROOT, 'now') };
  const warmUp = { ...rows[0], inFlight: 64, seconds: WARM_SECONDS };
  for (const side of Object.values(sides)) await side.measure(warmUp);
  return (await measureInTurn(sides, rows, plan)).flatMap(report);
}

const sumOf = (costs) => Object.values(costs).reduce((sum, value) => sum + value, 0);
/** CPU seconds per 1,000 payments are milliseconds a payment. */
const cpuMicros = ({ cpuPer1000 }) => sumOf(cpuPer1000) * 1_000;

function report({ name, rounds }) {
  const ratio = ({ before, now }, read) => read(now) / read(before);
  const line = (round, at) => {
    const cells = [({ perSecond }) => perSecond, cpuMicros].flatMap((read) => [
      ...[round.before, round.now].map((side) => read(side).toFixed(0)),
      ratio(round, read).toFixed(3),
    ]);
    return `| ${[at + 1, ...cells].join(' | ')} |`;
  };
  const summary = (what, read) => {
    const ratios = rounds.map((round) => ratio(round, read));
    const spread = `${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`;
    return `- ${what}: median of the ratios **${median(ratios).toFixed(3)}**, ${spread}`;
  };
  const medianOf = (side, read) => median(rounds.map((round) => read(round[side])));
  const commits = ({ commitsPerRequest }) => commitsPerRequest;
  return [
    `## ${name}`,
    '',
    '| round | before, payments/s | now | ratio | before, CPU us a payment | now | ratio |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rounds.map(line),
    '',
    summary('payments/s', ({ perSecond }) => perSecond),
    summary('CPU a payment', cpuMicros),
    ...Object.keys(rounds[0].now.cpuPer1000).map((part) => summary(`of that ${part}`, (side) => side.cpuPer1000[part])),
    `- PostgreSQL commits a payment: ${medianOf('before', commits).toFixed(2)} before, ${medianOf('now', commits).toFixed(2)} now`,
    '',
  ];
}
