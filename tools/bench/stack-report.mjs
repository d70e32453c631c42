import { TIME_HEADS, machine, rounded, table, times } from './report.mjs';

/** In the order of a request's way. */
const KINDS = ['supervisor', 'gateway', 'payments', 'auth', 'users', 'broker', 'postgres'];
const CPU_HEADS = KINDS.map((kind) => `${kind} CPU s per 1,000`);
const cpu = ({ cpuPer1000 }) => KINDS.map((kind) => rounded(cpuPer1000[kind] ?? null, 3));
const rate = ({ perSecond }) => rounded(perSecond, 0);

function requestReplySection({ requestReply }) {
  const heads = ['handler', 'in flight', 'ours/s', ...TIME_HEADS, 'Nest’s/s', ...TIME_HEADS, 'ours / Nest’s'];
  const rows = requestReply.map(({ waitMs, inFlight, ours, nest, ratio }) => [
    ...[waitMs === 0 ? 'empty' : `${waitMs} ms`, inFlight],
    ...[rate(ours), ...times(ours), rate(nest), ...times(nest)],
    rounded(ratio, 1),
  ]);
  const { ours, nest } = requestReply.find(({ waitMs, inFlight }) => waitMs > 0 && inFlight === 64);
  const costs = ({ cpuPer1000: { client, server, broker } }) =>
    `${rounded(client, 3)} s in the client, ${rounded(server, 3)} s in the server and ${rounded(broker, 3)} s in the broker`;
  return [
    '## Requests and replies alone',
    '',
    'A client and a server process with nothing but the transport: ours, and the Kafka transport that Nest brings with',
    'its waits set short. Both on the same broker with 12 partitions, in rounds that alternate.',
    '',
    ...table(heads, rows),
    '',
    `With a 5 ms handler and 64 in flight 1,000 of ours take ${costs(ours)} of CPU, of Nest’s ${costs(nest)}.`,
  ];
}

const loadRow = (first, measured) => [...first, rate(measured), ...times(measured), ...cpu(measured)];

function loadsSection({ loads, wallets }) {
  const heads = ['', 'in flight', 'per second', ...TIME_HEADS, ...CPU_HEADS];
  return [
    '## Commands and queries',
    '',
    `${rounded(wallets, 0)} wallets pay and ask for each other, one kind of request at a time, one instance of each service.`,
    '',
    ...table(
      heads,
      loads.map(({ name, inFlight, measured }) => loadRow([name, inFlight], measured)),
    ),
  ];
}

function halfSection({ half }) {
  const heads = ['', 'per second', ...TIME_HEADS, ...CPU_HEADS];
  return [
    '## At half of saturation',
    '',
    'Requests come by chance at half the rate that 64 in flight reached, whether or not earlier ones are answered.',
    '',
    ...table(
      heads,
      half.map(({ name, measured }) => loadRow([name], measured)),
    ),
  ];
}

function instancesSection({ instances: { rows, ratios }, popularPayers, plan: { newProcessesSeconds } }) {
  const heads = ['64 in flight', 'instances', 'per second', ...TIME_HEADS, 'conflicts/s', ...CPU_HEADS];
  const kinds = [
    ['spread', 'spread over all wallets'],
    ['popular', `${popularPayers} payers, one payee`],
  ];
  const lines = kinds.flatMap(([kind, name]) =>
    rows.map(({ instances, [kind]: measured }) => [
      ...[name, instances, rate(measured), ...times(measured)],
      ...[rounded(measured.conflictsPerSecond, 1), ...cpu(measured)],
    ]),
  );
  return [
    '## One and three payments instances',
    '',
    'On the same cores, so that three can win nothing; what a second and third instance cost is what they add between',
    `processes. The new ones are measured after ${newProcessesSeconds} s of load, when they have compiled their code; one instance is`,
    'measured before and after. A conflict is an append that the log refused because another instance had been there',
    'first.',
    '',
    ...table(heads, lines),
    '',
    `Three get ${rounded(ratios.spread, 2)} x of what one gets, ${rounded(ratios.popular, 2)} x where one person is paid.`,
  ];
}

/** The lines of the page. */
export function stackReport(results) {
  const { generator, postgresVersion } = results;
  const { rounds, seconds, requestReplySeconds, warmUpSeconds } = results.plan;
  return [
    '# Performance of the distributed shape',
    '',
    'Written by `npm run bench -- --stack`. Everything runs on one machine and shares its cores: the supervisor, the four',
    'services as processes, Kafka (its virtual machine compiling fully, and warmed up), PostgreSQL (fsync on), and the',
    'load generator. A payment counts when it was answered: it is on disk by then, and both parties see it. Figures are',
    'those of the round with the median rate; the ratio of the transports is the median of the rounds’ own.',
    '',
    `Machine: ${machine()}; Node ${process.version}; PostgreSQL ${postgresVersion}; load by ${generator}; ${rounds} rounds of ${seconds} s each (requests and replies alone: ${requestReplySeconds} s), after ${warmUpSeconds} s of warming up.`,
    '',
    ...requestReplySection(results),
    '',
    ...loadsSection(results),
    '',
    ...halfSection(results),
    '',
    ...instancesSection(results),
    '',
    '## How to repeat it',
    '',
    '```',
    'npm run bench -- --stack           # some thirteen minutes; needs Java and Maven, takes wrk when it is installed',
    'npm run bench -- --stack --quick   # five minutes; prints only',
    'npm run bench -- --stack --profile # prints only, and leaves a CPU profile of each process in .data/profiles',
    '```',
    '',
  ];
}
