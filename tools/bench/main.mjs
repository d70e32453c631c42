import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { format } from 'prettier';

const USAGE = `Usage: npm run bench -- [--stack] [--overhead | --large | --provider | --capacity | --against <checkout>]
                       [--event-store eventstoredb] [--row <name>] [--quick] [--profile]

Measures the product on this machine and writes docs/performance.md.

  --stack    the distributed shape instead, into docs/performance-stack.md; needs Java and Maven
  --overhead what metrics and traces cost instead, into docs/performance-overhead.md
  --large    with a million payments of 100,000 users instead, into docs/performance-large.md
  --payments the payments of --large, ten for each user
  --provider payments from balances while the payment provider does not answer instead, into
             docs/performance-provider.md; needs a system with /proc
  --capacity bytes of a payment and of a user in PostgreSQL instead, into docs/capacity.md
  --event-store eventstoredb
             with events in EventStoreDB beside events in PostgreSQL instead, into
             docs/performance-eventstoredb.md; with --against both codes store events there. On a
             stand-in with the timing of a server, or on the empty server at EVENTSTORE_URL
  --row      of these or of --against only the rows whose name begins like that; only prints
  --against  this code beside that of another built checkout, in alternating rounds, instead, into
             docs/performance-against.md, with --stack or --event-store into a page with that name
  --quick    a short form that only prints
  --profile  leaves CPU profiles of the product in .data/profiles, and only prints
  --help     this text
`;

function wanted() {
  const isOff = { type: 'boolean', default: false };
  try {
    return parseArgs({
      options: {
        stack: isOff,
        overhead: isOff,
        large: isOff,
        provider: isOff,
        capacity: isOff,
        payments: { type: 'string' },
        quick: isOff,
        profile: isOff,
        help: isOff,
        against: { type: 'string' },
        'event-store': { type: 'string', default: 'postgres' },
        row: { type: 'string' },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${USAGE}`);
    process.exit(2);
  }
}

const options = wanted();
if (options.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const root = fileURLToPath(new URL('../../', import.meta.url));
/** The options that select a measurement; the first that is given counts. */
const MODES = ['against', 'overhead', 'large', 'provider', 'capacity', 'stack'];
const eventStore = options['event-store'];
const BY_EVENT_STORE = { postgres: 'embedded', eventstoredb: 'eventstoredb' };
const mode = MODES.find((name) => options[name] !== undefined && options[name] !== false) ?? BY_EVENT_STORE[eventStore];
if (mode === undefined || (eventStore !== 'postgres' && mode !== 'eventstoredb' && mode !== 'against')) {
  process.stderr.write(`--event-store takes postgres, or eventstoredb alone or with --against\n\n${USAGE}`);
  process.exit(2);
}
const { run, PAGE, pageOf } = await import(`./${mode}.mjs`);

const dataDir = join(root, '.data', `bench-${process.pid}`);
/** Where Node leaves CPU profiles of the product when it ends; a profiled run is slower, so its page is not kept. */
const profileDir = options.profile ? join(root, '.data', 'profiles') : null;
const stops = [];
const stopAll = async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  rmSync(dataDir, { recursive: true, force: true });
};
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => void stopAll().finally(() => process.exit(130)));
}

mkdirSync(dataDir, { recursive: true });
try {
  const lines = await run({
    dataDir,
    stops,
    profileDir,
    isQuick: options.quick,
    isStack: options.stack,
    checkout: options.against,
    eventStore,
    row: options.row,
    payments: options.payments === undefined ? undefined : Number(options.payments),
  });
  const page = await format(lines.join('\n'), { parser: 'markdown', printWidth: 120 });
  process.stdout.write(page);
  const isWhole = !options.quick && !options.profile && options.row === undefined;
  const file = PAGE ?? pageOf({ isStack: options.stack, eventStore });
  if (isWhole) writeFileSync(join(root, 'docs', file), page);
} finally {
  await stopAll();
}
