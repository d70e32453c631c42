import { availableParallelism, arch, platform, totalmem } from 'node:os';

/** Formats a number; `n/a` if nothing was measured. */
export const rounded = (value, digits) =>
  value === null || Number.isNaN(value)
    ? 'n/a'
    : value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });

const row = (cells) => `| ${cells.join(' | ')} |`;
/** A table whose first column is text. */
export const table = (heads, rows) => [
  row(heads),
  row(heads.map((_, at) => (at === 0 ? '---' : '--:'))),
  ...rows.map(row),
];

export const times = ({ p50Ms, p95Ms, p99Ms }) => [rounded(p50Ms, 1), rounded(p95Ms, 1), rounded(p99Ms, 1)];
const cpu = ({ cpuPer1000: { node, postgres } }) => [rounded(node, 3), rounded(postgres, 3)];
const total = ({ cpuPer1000: { node, postgres } }) => rounded(node === null ? null : node + postgres, 3);
const CPU_HEADS = ['Node CPU s per 1,000', 'Postgres CPU s per 1,000'];
export const TIME_HEADS = ['p50 ms', 'p95 ms', 'p99 ms'];

function spreadSection({ spread, scale, wallets }) {
  const heads = [
    'in flight',
    'payments/s',
    ...TIME_HEADS,
    ...CPU_HEADS,
    'floor',
    'payments / floor',
    'TPC-B tps',
    'payments / TPC-B',
  ];
  const rows = spread.map(({ inFlight, measured, floor, floorRatio, tpcb, ratio }) => [
    inFlight,
    rounded(measured.perSecond, 0),
    ...times(measured),
    ...cpu(measured),
    rounded(floor.perSecond, 0),
    rounded(floorRatio, 2),
    rounded(tpcb, 0),
    rounded(ratio, 2),
  ]);
  return [
    `## Pays between ${rounded(wallets, 0)} wallets`,
    '',
    'The floor is the least that a ledger over HTTP must do: one Fastify handler and one stored function on the same server',
    '(token by its hash, both balances locked and updated, a payment, two entries), without events, idempotency and read',
    'models (`tools/bench/floor.mjs`).',
    `TPC-B is \`pgbench -M prepared\`, scale ${scale}, with as many clients as payments are in flight.`,
    '',
    ...table(heads, rows),
  ];
}

function popularSection({ popular, popularPayers }) {
  const heads = ['64 in flight', 'payments/s', ...TIME_HEADS, ...CPU_HEADS];
  const rows = [
    ['spread over all wallets', popular.spread],
    [`${popularPayers} payers, one payee`, popular.one],
  ].map(([name, measured]) => [name, rounded(measured.perSecond, 0), ...times(measured), ...cpu(measured)]);
  return [
    '## One popular payee',
    '',
    ...table(heads, rows),
    '',
    `The popular payee gets ${rounded(popular.ratio, 2)} x of what the spread load gets, and ${rounded(popular.floorRatio, 2)} x of the floor`,
    `(${rounded(popular.floor.perSecond, 0)} payments/s).`,
  ];
}

function historySection({ history }) {
  const heads = ['earlier payments of the payer', 'payments/s', ...TIME_HEADS, ...CPU_HEADS, 'CPU s per 1,000'];
  const rows = history.rows.map(({ earlier, measured }) => [
    rounded(earlier, 0),
    rounded(measured.perSecond, 0),
    ...times(measured),
    ...cpu(measured),
    total(measured),
  ]);
  return [
    '## What history costs',
    '',
    'One wallet pays, 64 in flight. The wallets with a short and a long history are measured in turn.',
    '',
    ...table(heads, rows),
    '',
    `A payment costs ${rounded(history.cpuRatio, 2)} x the CPU and ${rounded(history.timeRatio, 2)} x the time at the longest history of what it costs at the shortest.`,
  ];
}

function readsSection({ reads }) {
  const heads = ['64 in flight', 'requests/s', ...TIME_HEADS, ...CPU_HEADS];
  const rows = reads.map(({ path, measured }) => [
    `GET ${path}`,
    rounded(measured.perSecond, 0),
    ...times(measured),
    ...cpu(measured),
  ]);
  return ['## Reads', '', ...table(heads, rows)];
}

function overloadSection({ overload }) {
  if (overload === null) return ['## Twice the load that it can serve', '', 'Not measured: that needs wrk.'];
  const heads = ['callers', 'sent/s', 'served/s', 'of capacity', '503/s', 'other', 'p50 ms', 'p99 ms', 'memory MiB'];
  const rows = overload.rows.map(({ name, sentPerSecond, perSecond, ratio, turnedAwayPerSecond, other, ...row }) => [
    name,
    rounded(sentPerSecond, 0),
    rounded(perSecond, 0),
    rounded(ratio, 2),
    rounded(turnedAwayPerSecond, 0),
    other,
    ...[row.p50Ms, row.p99Ms].map((ms) => rounded(ms, 1)),
    row.memoryBytes.map((bytes) => rounded(bytes === null ? null : bytes / 2 ** 20, 0)).join(' / '),
  ]);
  return [
    '## Twice the load that it can serve',
    '',
    `${rounded(overload.callers, 0)} callers on connections of their own want to pay ${rounded(overload.wantedPerSecond, 0)} times a second, twice what is served with`,
    `64 in flight (${rounded(overload.capacityPerSecond, 0)}), for ${overload.seconds} s. The gateway works on 256 requests at a time and answers the others 503 with`,
    'Retry-After. Patient callers wait that long, rude ones come again as if nothing was said. The capacity is measured again',
    'before each row. Times are of all answers, memory is that of the product at the start, in the middle and at the end.',
    '',
    ...table(heads, rows),
  ];
}

/** The machine of the measurement. */
export const machine = () =>
  `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${arch()}`;

/** The lines of the page. */
export function report(results) {
  const { generator, rounds, seconds, postgresVersion } = results;
  return [
    '# Performance',
    '',
    'Written by `npm run bench`. Everything runs on one machine and shares its cores: the product in its embedded',
    'shape, its PostgreSQL (fsync on), and the load generator. A payment counts when it was answered: it is on disk by',
    'then, and both parties see it. TPC-B runs on the same server with the same settings, in a database of its own, in',
    'rounds that alternate with ours. Each ratio is the median of the rounds’ own ratios, so it can differ from that of the medians.',
    '',
    `Machine: ${machine()}; Node ${process.version}; PostgreSQL ${postgresVersion}; load by ${generator}; ${rounds} rounds of ${seconds} s each.`,
    '',
    ...spreadSection(results),
    '',
    ...popularSection(results),
    '',
    ...historySection(results),
    '',
    ...readsSection(results),
    '',
    ...overloadSection(results),
    '',
    '## How to repeat it',
    '',
    '```',
    'npm run bench              # some ten minutes; needs pgbench for the TPC-B column, takes wrk when it is installed',
    'npm run bench -- --quick   # a minute; prints only',
    'npm run bench -- --profile # prints only, and leaves a CPU profile of the product in .data/profiles',
    'npm run bench -- --large   # with a million payments, into performance-large.md',
    'npm run bench -- --provider # while the payment provider does not answer, into performance-provider.md',
    '```',
    '',
    'On Debian and Ubuntu `apt-get install postgresql wrk` brings both. Without pgbench the column stays empty; without',
    'wrk the load comes from autocannon, which takes more of the CPU that the product could use.',
    '',
  ];
}
