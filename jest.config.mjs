import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { chromiumPath } from './tools/chromium.mjs';
import { missingOf, PROGRAMS } from './tools/programs.mjs';
import { ANALYTICS, pythonPath } from './tools/python-environment.mjs';

/**
 * Seven levels of specs, told apart by their suffix: pure (`.spec.ts`), int (`.int.spec.ts`, a real PostgreSQL), kafka
 * (`.kafka.spec.ts`, a real Apache Kafka), e2e (`.e2e.spec.ts`), faults (`.faults.spec.ts`, the distributed shape
 * under load while parts of it fail: alone on the machine), restore (`.restore.spec.ts`, drills of a backup and the loss
 * of what it was taken of), upgrade (`.upgrade.spec.ts`, services of two versions side by side under load).
 */
const base = {
  rootDir: import.meta.dirname,
  extensionsToTreatAsEsm: ['.ts'],
  // Not for a module that wraps JSON, as libphonenumber-js has them: its .json.js is no .ts of ours.
  moduleNameMapper: { '^(\\.{1,2}/.*(?<!\\.json))\\.js$': '$1' },
  testEnvironmentOptions: { customExportConditions: ['@settle/source', 'node', 'node-addons'] },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          keepClassNames: true,
        },
        module: { type: 'es6' },
      },
    ],
  },
};

const sources = ['<rootDir>/{apps,libs,sdks}/*/{src,test}/**', '<rootDir>/tools/**'];
const specs = (suffix) => sources.map((place) => `${place}/*${suffix}`);

/** Specs of the embedded shape alone: they start `npm start` itself, kill its only process, or move its clock. */
const aboutTheEmbedded = [
  'apps/all-in-one/src/launcher\\.e2e',
  'apps/all-in-one/src/wrong-provider\\.e2e',
  'apps/e2e/src/crash[a-z-]*\\.e2e',
  'apps/e2e/src/month-later\\.e2e',
  // The pages begin with `npm start`.
  'apps/e2e/src/guide-[a-z]+\\.e2e',
  // For the stack a kafka spec shows it.
  'apps/e2e/src/existing-data\\.e2e',
];
/** Specs that need several processes: their health, their assignments of wallets, what one gateway misses of another. */
const aboutTheStack = ['apps/e2e/src/[a-z-]+\\.stack\\.e2e'];
/**
 * The outcome of these is the same in every shape, and another spec of the stack fails where processes do not understand each
 * other: how a request is read, what a browser makes of the pages, guesses, clients, answers of a provider, settings. `npm test` runs
 * them on the embedded shape; with `--every-shape`, as each night, they run on the stack as well.
 */
const onceOnly = [
  // `refusals`, `requests` and `order-of-checks` read and refuse requests there.
  ...['fuzz/fuzz\\.e2e', 'parameters\\.e2e', 'unread-responses\\.e2e'],
  // `pages`, `accounts` and `oauth` go through the pages there.
  ...['walk[a-z-]*\\.e2e', 'guessing\\.e2e'],
  // `requests` and `oauth-clients` call it as they do.
  'sdk-[a-z]+\\.e2e',
  // `money-outside` and the faults of funding have a provider there.
  'late-answers\\.e2e',
  // Settings reach the services in `rate-limits` and `user-limits`; commands find the databases in `operators` and `flags`.
  ...['settings\\.e2e', 'operator-queries\\.e2e'],
].map((spec) => `apps/e2e/src/${spec}`);
/** The same with events in EventStoreDB: fees, limits and spans are computed from events as they are read. */
const onceOnlyOfEvents = ['settings\\.e2e', 'user-limits\\.e2e', 'traces\\.stack\\.e2e'].map(
  (spec) => `apps/e2e/src/${spec}`,
);
/** Where events are stored makes no difference to sign-in pages, tokens and flags, nor to how requests are read. */
const apartFromPayments = [
  ...['accounts\\.e2e', 'own-profile\\.e2e', 'walk[a-z-]*\\.e2e', 'flags\\.e2e'],
  ...['oauth\\.e2e', 'processes\\.stack\\.e2e', 'rate-limits\\.e2e', 'token-races\\.stack\\.e2e'],
  ...['guessing\\.e2e', 'pages\\.e2e', 'suspensions\\.e2e', 'unread-responses\\.e2e', 'operator-apps\\.e2e'],
  ...[
    'oauth-clients\\.e2e',
    'oauth-revocation\\.e2e',
    'oauth-tokens\\.e2e',
    'redirect-uris\\.e2e',
    'client-secrets\\.e2e',
  ],
  ...['authorization\\.e2e', 'addresses\\.e2e', 'order-of-checks\\.e2e', 'fuzz/fuzz\\.e2e'],
  ...[
    'sdk-[a-z]+\\.e2e',
    'amounts\\.e2e',
    'parameters\\.e2e',
    'ids-and-words\\.e2e',
    'lifetimes\\.e2e',
    'friend-lists\\.e2e',
  ],
  // Its table of events is empty there.
  'database-roles\\.e2e',
].map((spec) => `apps/e2e/src/${spec}`);

/** Locks of PostgreSQL on its events delay the claims there. */
const delayedByLocks = ['apps/e2e/src/claim-races\\.stack\\.e2e'];
/** Settings name the log to them, and the stand-in has new ones in each run; an int spec runs them on it. */
const besideTheProduct = [
  'apps/e2e/src/((funding-)?operators|operator-queries)\\.e2e',
  'apps/e2e/src/money-outside\\.e2e',
  'apps/e2e/src/late-answers\\.e2e',
  'apps/e2e/src/closing\\.e2e',
];

/** With a Kafka for all specs of a run. */
const onKafka = {
  globalSetup: '<rootDir>/libs/testing/src/kafka-setup.ts',
  globalTeardown: '<rootDir>/libs/testing/src/kafka-teardown.ts',
};

/** Where specs start and stop servers in their own process. */
const inProcess = { setupFiles: ['<rootDir>/libs/testing/src/fetch-without-keep-alive.ts'] };

/** In a process of their own, one file after another. */
const oneAtATime = '<rootDir>/tools/one-at-a-time.mjs';

const HELM_CHART = '/tools/helm-chart\\.((int|kafka)\\.)?spec\\.ts$';
const withHelmChart = { pure: HELM_CHART, int: HELM_CHART, kafka: HELM_CHART };
/** The specs that do not run, by level, where a machine lacks something; `npm test` reports it. */
const LEFT_OUT_WITHOUT = {
  chromium: { overHttp: 'apps/e2e/src/walk[a-z-]*\\.e2e' },
  promtool: { pure: '/tools/promtool\\.spec\\.ts$' },
  helm: withHelmChart,
  'kubernetes-validate': withHelmChart,
  'schemas of custom resources': withHelmChart,
  python: {
    pure: '/tools/python-client\\.spec\\.ts$',
    overHttp: 'apps/e2e/src/(sdk|guide)-python\\.e2e',
  },
  'packages of docs/analytics': {
    pure: '/tools/analytics\\.spec\\.ts$',
    kafka: '/analytics-recipes\\.kafka\\.spec\\.ts$',
  },
  go: { overHttp: 'apps/e2e/src/guide-go\\.e2e' },
  curl: { overHttp: 'apps/e2e/src/guide-curl\\.e2e' },
  'systemd-analyze': { pure: '/tools/systemd-analyze\\.spec\\.ts$' },
  'a small disk': { restore: '/disk-full\\.restore\\.spec\\.ts$' },
  EVENTSTORE_URL: { int: '/eventstoredb-projections\\.int\\.spec\\.ts$' },
};

/** The same specs over HTTP in each shape of the product, but for those named in `leftOut`. */
const onShape = (displayName, shape, leftOut) => ({
  ...base,
  displayName,
  runner: ['<rootDir>/apps/e2e/on-a-shape.mjs', { shape }],
  testMatch: specs('.e2e.spec.ts'),
  testPathIgnorePatterns: ['/node_modules/', '/dist/', ...leftOut.map((spec) => `${spec}\\.spec\\.ts$`)],
});

/**
 * Jest's projects on a machine.
 * @param {readonly string[]} missing what it lacks, by the names in `LEFT_OUT_WITHOUT`
 * @param {boolean} isEveryShape whether specs with the same outcome in every shape run in each
 */
export function projectsOn(missing = [], isEveryShape = true) {
  const unlessEveryShape = (leftOut) => (isEveryShape ? [] : leftOut);
  const leftOut = (level) => missing.flatMap((name) => LEFT_OUT_WITHOUT[name]?.[level] ?? []);
  return [
    {
      ...base,
      ...inProcess,
      displayName: 'pure',
      testMatch: specs('.spec.ts'),
      testPathIgnorePatterns: [
        ...['/node_modules/', '/dist/', '\\.(int|kafka|e2e|faults|restore|upgrade)\\.spec\\.ts$'],
        ...leftOut('pure'),
      ],
    },
    {
      ...base,
      ...inProcess,
      displayName: 'int',
      testMatch: specs('.int.spec.ts'),
      testPathIgnorePatterns: ['/node_modules/', '/dist/', ...leftOut('int')],
      globalSetup: '<rootDir>/libs/testing/src/int-setup.ts',
      globalTeardown: '<rootDir>/libs/testing/src/int-teardown.ts',
    },
    {
      ...base,
      ...inProcess,
      ...onKafka,
      displayName: 'kafka',
      testMatch: specs('.kafka.spec.ts'),
      testPathIgnorePatterns: ['/node_modules/', '/dist/', ...leftOut('kafka')],
    },
    onShape('e2e', 'embedded', [...aboutTheStack, ...leftOut('overHttp')]),
    onShape('e2e-stack', 'stack', [...aboutTheEmbedded, ...unlessEveryShape(onceOnly), ...leftOut('overHttp')]),
    onShape('e2e-eventstoredb', 'stack-eventstoredb', [
      ...aboutTheEmbedded,
      ...apartFromPayments,
      ...delayedByLocks,
      ...besideTheProduct,
      ...unlessEveryShape(onceOnlyOfEvents),
    ]),
    // They measure how long things take.
    { ...base, displayName: 'faults', testMatch: specs('.faults.spec.ts'), runner: oneAtATime },
    // Each makes thousands of payments.
    {
      ...base,
      displayName: 'restore',
      testMatch: specs('.restore.spec.ts'),
      testPathIgnorePatterns: ['/node_modules/', '/dist/', ...leftOut('restore')],
      runner: oneAtATime,
    },
    // It makes payments all the time.
    {
      ...base,
      ...onKafka,
      displayName: 'upgrade',
      testMatch: specs('.upgrade.spec.ts'),
      runner: oneAtATime,
    },
  ];
}

const chromium = chromiumPath();
if (chromium !== null) process.env.CHROMIUM = chromium;
/** Programs that specs start find their compiled code here, as `npm start` does. */
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, 'node_modules/.cache/settle-compiled');

const missing = [
  ...missingOf(Object.keys(PROGRAMS).filter((name) => name !== 'python' && name in LEFT_OUT_WITHOUT)),
  ...(pythonPath() === null ? ['python'] : []),
  ...(pythonPath(ANALYTICS) === null ? ['packages of docs/analytics'] : []),
  ...((process.env.EVENTSTORE_URL ?? '') === '' ? ['EVENTSTORE_URL'] : []),
];

export default {
  projects: projectsOn(missing, process.env.EVERY_SHAPE === 'true'),
  testTimeout: 60_000,
  // Much of a spec's time is waiting, so that even two cores run two at once.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  // The ES modules that a file has loaded stay in memory: without a limit, collecting them takes most of the time.
  workerIdleMemoryLimit: '1GB',
};
