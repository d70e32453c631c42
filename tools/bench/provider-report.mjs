import { TIME_HEADS, machine, rounded, table, times } from './report.mjs';
import { median } from './rounds.mjs';

const HEADS = ['', 'payments/s', ...TIME_HEADS, 'Node CPU s per 1,000', 'Postgres CPU s per 1,000'];

const cpuOf = ({ cpuPer1000: { node, postgres } }) => node + postgres;

/** The medians of all rounds with the provider in one condition. */
function middleRow(name, rounds) {
  const of = (read) => median(rounds.map(read));
  const middle = { p50Ms: of((each) => each.p50Ms), p95Ms: of((each) => each.p95Ms), p99Ms: of((each) => each.p99Ms) };
  const cpu = ['node', 'postgres'].map((kind) =>
    rounded(
      of(({ cpuPer1000 }) => cpuPer1000[kind]),
      3,
    ),
  );
  return [
    name,
    rounded(
      of(({ perSecond }) => perSecond),
      0,
    ),
    ...times(middle),
    ...cpu,
  ];
}

/** Sums the answers to payments from sources over all rounds. */
function sumAnswers(rounds) {
  const sums = {};
  for (const { fromSources } of rounds) {
    for (const [answer, count] of Object.entries(fromSources)) sums[answer] = (sums[answer] ?? 0) + count;
  }
  return Object.entries(sums)
    .map(([answer, count]) => `${rounded(count, 0)} ${answer}`)
    .join(', ');
}

/** The lines of the page. */
export function providerReport(results) {
  const { plan, rounds, perSecond, inFlight, wallets, payers, generator, postgresVersion } = results;
  const well = rounds.map((round) => round.well);
  const hanging = rounds.map((round) => round.hanging);
  const ratios = (read) => rounds.map((round) => read(round.hanging) / read(round.well));
  const rates = ratios((each) => each.perSecond);
  const caughtUp = rounds.map(({ caughtUpSeconds }) => caughtUpSeconds).filter((seconds) => seconds !== null);
  return [
    '# Performance while the payment provider does not answer',
    '',
    'Written by `npm run bench -- --provider`. The product in its embedded shape pays from balances, while',
    `${perSecond} other payments a second are charged to the sources of payers without a balance. The reference provider is a`,
    'process with a PostgreSQL of its own. It answers in one round and is halted in the next: connections are accepted, and no',
    'request is answered. Then it continues, and the next round begins when no payment waits for it any more. Everything',
    'shares the cores of one machine: the halted provider leaves its part of them to the product, while the CPU of a payment',
    'is that of the product and its PostgreSQL alone.',
    '',
    `Machine: ${machine()}; Node ${process.version}; PostgreSQL ${postgresVersion}; load by ${generator}; ${plan.rounds} rounds of ${plan.seconds} s each.`,
    '',
    `## Pays between ${rounded(wallets, 0)} wallets, ${inFlight} in flight`,
    '',
    ...table(HEADS, [middleRow('the provider answers', well), middleRow('the provider hangs', hanging)]),
    '',
    'Each number is the median of the rounds.',
    '',
    ...table(
      ['hanging / answering', 'median of the rounds’ own ratios', 'lowest', 'highest'],
      [
        ['payments/s', rates],
        ['CPU of a payment', ratios(cpuOf)],
      ].map(([name, all]) => [
        name,
        ...[median(all), Math.min(...all), Math.max(...all)].map((one) => rounded(one, 3)),
      ]),
    ),
    '',
    `## Payments from the sources of ${rounded(payers, 0)} payers`,
    '',
    `- While the provider answers: ${sumAnswers(well)}.`,
    `- While it hangs: ${sumAnswers(hanging)}; at the end of a round ${rounded(median(rounds.map(({ open }) => open)), 0)} were open.`,
    ...(caughtUp.length === 0
      ? []
      : [`- After the provider continues, none is open any more within ${rounded(Math.max(...caughtUp), 0)} s.`]),
    '',
    '## How to repeat it',
    '',
    '```',
    'npm run bench -- --provider          # some eight minutes; takes wrk when it is installed',
    'npm run bench -- --provider --quick  # a minute; prints only',
    '```',
    '',
  ];
}
