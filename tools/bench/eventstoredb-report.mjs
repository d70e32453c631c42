import { TIME_HEADS, machine, rounded, table, times } from './report.mjs';
import { median } from './rounds.mjs';

const NAMES = { eventstoredb: 'EventStoreDB', postgres: 'PostgreSQL' };
const HEADS = [
  ...['', 'events in', 'payments/s', ...TIME_HEADS, 'Node CPU s per 1,000', 'Postgres CPU s per 1,000'],
  ...['Postgres commits a payment', 'of PostgreSQL'],
];
const STAND_IN = [
  'The EventStoreDB is the stand-in of the specs, in a process of its own, with the timing of a server: an append is answered',
  'after 0.9 ms alone, 4 ms with 16 and 8 ms with 64 in flight, at most 6,500 a second, and each event reaches a subscription',
  '1 ms later.',
];
const SERVER = ['The EventStoreDB is the server at `EVENTSTORE_URL`.'];

/** The medians of the rounds of one side. */
function middleRow(name, side, rounds) {
  const of = (read) => median(rounds.map((round) => read(round[side])));
  const middle = { p50Ms: of((each) => each.p50Ms), p95Ms: of((each) => each.p95Ms), p99Ms: of((each) => each.p99Ms) };
  const ratio = median(rounds.map(({ eventstoredb, postgres }) => eventstoredb.perSecond / postgres.perSecond));
  return [
    ...[
      name,
      NAMES[side],
      rounded(
        of(({ perSecond }) => perSecond),
        0,
      ),
      ...times(middle),
    ],
    ...['Node', 'PostgreSQL'].map((part) =>
      rounded(
        of(({ cpuPer1000 }) => cpuPer1000[part]),
        3,
      ),
    ),
    rounded(
      of(({ commitsPerRequest }) => commitsPerRequest),
      2,
    ),
    side === 'postgres' ? '' : rounded(ratio, 2),
  ];
}

/** Compares the payments of a row with those that its appends would allow, if nothing else took time. */
function appendRow(bare, { name, inFlight, rounds }) {
  const of = (read) => median(rounds.map(({ eventstoredb }) => read(eventstoredb)));
  const appends = of(({ appendsPerRequest }) => appendsPerRequest ?? NaN);
  const allowed = bare[inFlight] / appends;
  const perSecond = of((each) => each.perSecond);
  return [name, rounded(bare[inFlight], 0), rounded(appends, 2), rounded(allowed, 0), rounded(perSecond / allowed, 2)];
}

/** The lines of the page. */
export function eventStoreDbReport({ plan, rows, bare, isStandIn, generator, postgresVersion }) {
  return [
    '# Performance with events in EventStoreDB',
    '',
    'Written by `npm run bench -- --event-store eventstoredb`. Two products in the embedded shape run side by side, one with',
    'events in EventStoreDB and one with events in PostgreSQL, and are loaded in turn. Each has a PostgreSQL of its own (fsync',
    'on), and everything shares the cores of one machine. A payment counts when it was answered: it is stored by then, and both',
    'parties see it. A commit is a transaction that changed something. Figures are medians of the rounds, ratios those of the',
    'rounds’ own ratios.',
    '',
    ...(isStandIn ? STAND_IN : SERVER),
    '',
    `Machine: ${machine()}; Node ${process.version}; PostgreSQL ${postgresVersion}; load by ${generator}; ${plan.rounds} rounds of ${plan.seconds} s each.`,
    '',
    '## Payments',
    '',
    'Pays between 1,000 wallets; from 300 of them to one payee; and among 200 wallets, each of which pays the seventh after it.',
    '',
    ...table(
      HEADS,
      rows.flatMap(({ name, rounds }) => Object.keys(NAMES).map((side) => middleRow(name, side, rounds))),
    ),
    '',
    '## Appends',
    '',
    'The client library alone appends single events to new streams, with as many in flight as payments. The appends of a',
    'payment are those that EventStoreDB received; a server does not tell.',
    '',
    ...table(
      ['', 'appends/s without the product', 'appends a payment', 'payments/s that they allow', 'payments / allowed'],
      rows.map((row) => appendRow(bare, row)),
    ),
    '',
    '## How to repeat it',
    '',
    '```',
    'npm run bench -- --event-store eventstoredb                      # ten minutes; takes wrk when it is installed',
    'npm run bench -- --event-store eventstoredb --quick              # two minutes; prints only',
    'npm run bench -- --event-store eventstoredb --row alone          # only the rows whose name begins like that; prints only',
    'npm run bench -- --event-store eventstoredb --against <checkout> # this code beside that of another built checkout',
    'EVENTSTORE_URL=... npm run bench -- --event-store eventstoredb   # on an empty server',
    '```',
    '',
  ];
}
