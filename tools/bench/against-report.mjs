import { machine, rounded, table } from './report.mjs';
import { median } from './rounds.mjs';

const sumOf = (costs) => Object.values(costs).reduce((sum, value) => sum + value, 0);
const rateOf = ({ perSecond }) => perSecond;
/** CPU seconds per 1,000 requests are milliseconds a request. */
const cpuMicros = ({ cpuPer1000 }) => sumOf(cpuPer1000) * 1_000;
const ratioOf = ({ before, now }, read) => read(now) / read(before);

/** The rounds of a row, for the reader who follows the run. */
export function reportRounds({ name, rounds }) {
  const line = (round, at) => {
    const cells = [rateOf, cpuMicros].flatMap((read) => [
      ...[round.before, round.now].map((side) => rounded(read(side), 0)),
      rounded(ratioOf(round, read), 3),
    ]);
    return [String(at + 1), ...cells];
  };
  const heads = ['round', 'before, per second', 'now', 'ratio', 'before, CPU us', 'now', 'ratio'];
  const parts = Object.keys(rounds[0].now.cpuPer1000).map((part) => {
    const ratios = rounds.map((round) => ratioOf(round, ({ cpuPer1000 }) => cpuPer1000[part]));
    return `CPU of ${part}: ${rounded(median(ratios), 3)}`;
  });
  return [name, '', ...table(heads, rounds.map(line)), parts.join('; '), ''];
}

function summaryRow({ name, rounds }) {
  const middle = (side, read) => median(rounds.map((round) => read(round[side])));
  const pair = (read, digits) => ['before', 'now'].map((side) => rounded(middle(side, read), digits)).join(' → ');
  const ratios = (read) => rounds.map((round) => ratioOf(round, read));
  const rates = ratios(rateOf);
  const spread = `${rounded(Math.min(...rates), 2)} to ${rounded(Math.max(...rates), 2)}`;
  return [
    name,
    pair(rateOf, 0),
    `**${rounded(median(rates), 2)}** (${spread})`,
    pair(({ p50Ms }) => p50Ms, 1),
    pair(({ p99Ms }) => p99Ms, 1),
    pair(cpuMicros, 0),
    rounded(median(ratios(cpuMicros)), 2),
    pair(({ commitsPerRequest }) => commitsPerRequest, 2),
  ];
}

const HEADS = ['', 'per second', 'ratio', 'p50 ms', 'p99 ms', 'CPU us a request', 'ratio', 'commits a request'];
const PLACES = { postgres: 'PostgreSQL', eventstoredb: 'EventStoreDB (a stand-in with the timing of a server)' };

/** The lines of the page. */
export function againstReport({ rounds, seconds, rows, commits, isStack, eventStore, generator }) {
  const shape = isStack ? 'as services over Kafka' : 'in one process';
  const options = `${isStack ? ' --stack' : ''}${eventStore === 'postgres' ? '' : ` --event-store ${eventStore}`}`;
  return [
    `# This code beside earlier code, ${shape}, events in ${eventStore === 'postgres' ? 'PostgreSQL' : 'EventStoreDB'}`,
    '',
    `Written by \`npm run bench --${options} --against <checkout>\`. Two products, each ${shape}, with events in ${PLACES[eventStore]}`,
    'and a PostgreSQL of its own (fsync on), are loaded in turn on one machine, whose cores they share with the load generator;',
    'the order changes with each round. A row shows the medians of the rounds, before → now, and the median of the ratios of',
    'each round with the least and the greatest. CPU is that of all processes of the product, its PostgreSQL and its broker;',
    'commits are those of PostgreSQL. “half of the old 64” comes at half the rate that the earlier code served with 64 in flight in',
    'a measurement of its own, right after warming up.',
    '',
    `Machine: ${machine()}; Node ${process.version} for both; load by ${generator}; ${rounds} rounds of ${seconds} s each.`,
    `Before: ${commits.before}. Now: ${commits.now}.`,
    '',
    ...table(HEADS, rows.map(summaryRow)),
    '',
  ];
}
