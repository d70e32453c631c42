import { TIME_HEADS, machine, rounded, table, times } from './report.mjs';

const MIB = 2 ** 20;
const memory = (bytes) => rounded(bytes === null ? null : bytes / MIB, 0);

function sidesSection({ starts, loads }) {
  const rows = loads.map(({ name, small, large, ratio }) => [
    name,
    rounded(small.perSecond, 0),
    rounded(large.perSecond, 0),
    rounded(ratio, 2),
    ...times(small),
    ...times(large),
  ]);
  const heads = ['small', 'large'].flatMap((side) => TIME_HEADS.map((head) => `${side} ${head}`));
  return [
    ...table(['per second', 'small', 'large', 'large / small', ...heads], rows),
    '',
    `A restart takes ${rounded(starts.small, 1)} s until Ready with the small log and ${rounded(starts.large, 1)} s with the large one.`,
  ];
}

function wholeLogSection({ appended, projected, rebuilt, verified, log }) {
  const row = (name, events, { seconds, memoryBytes = null }) => [
    name,
    rounded(events, 0),
    rounded(seconds, 1),
    rounded(events / seconds, 0),
    memory(memoryBytes),
  ];
  return table(
    ['', 'events', 's', 'events/s', 'memory MiB'],
    [
      row('append', appended.events, appended),
      row('project, by the running product', projected.events, projected),
      row('`projections -- rebuild all`, with the comparison', log.events, rebuilt),
      row('`ledger -- verify`', log.events, verified),
    ],
  );
}

/** The lines of the page. */
export function largeReport(results) {
  const { plan, users, bytes, topicBytes, generatorName, postgresVersion } = results;
  const perPayment = (all) => rounded(all / plan.payments, 0);
  return [
    '# Performance with a long log',
    '',
    'Written by `npm run bench -- --large`. Everything runs on one machine and shares its cores, as in',
    '[the page about one process](performance.md). Small is the product with 1,000 users and a payment to each; large is another',
    `one, on a server of its own, with ${rounded(plan.payments, 0)} payments among ${rounded(users, 0)} users, one in 50 of which is a charge without an answer.`,
    'Their events were decided and appended by the code of the product, without the work around them; the running product',
    'then projected them. Both are loaded in turn; the ratio is the median of the rounds’ own ratios.',
    '',
    `Machine: ${machine()}; Node ${process.version}; PostgreSQL ${postgresVersion}; load by ${generatorName}; 64 in flight, ${plan.rounds} rounds of ${plan.seconds} s each; ${plan.starts} restarts.`,
    '',
    '## Small and large',
    '',
    ...sidesSection(results),
    '',
    '## Work on the whole log',
    '',
    'Rebuild and verification also read the payments of the rounds.',
    '',
    ...wholeLogSection(results),
    '',
    '## Disk',
    '',
    `A payment takes ${perPayment(bytes.database)} bytes in PostgreSQL: ${perPayment(bytes.events)} for its events with their indexes, ${perPayment(bytes.database - bytes.events)} for the read models.`,
    topicBytes === null
      ? 'No broker could be started to measure the topic of public events.'
      : `On Kafka it takes ${rounded(topicBytes, 0)} bytes of the topic of public events, after some seconds of load.`,
    '',
    '## How to repeat it',
    '',
    '```',
    'npm run bench -- --large                    # needs some 10 GB of disk; takes wrk when it is installed',
    'npm run bench -- --large --payments 100000  # fewer payments, ten for each user',
    'npm run bench -- --large --quick            # a few minutes; prints only',
    '```',
    '',
  ];
}
