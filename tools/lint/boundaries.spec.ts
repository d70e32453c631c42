import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { LAYERS } from './layers.mjs';
import { boundaries } from './rules.mjs';

const workspace = fileURLToPath(new URL('../../', import.meta.url));

interface Fixture {
  readonly title: string;
  /** A file of the project: the text is linted as if it stood there. */
  readonly file: string;
  readonly code: string;
  readonly needsTypes?: boolean;
  /** The rule that must refuse it, and a part of what it says; null: nothing may be said. */
  readonly refused: { readonly rule: string; readonly says: RegExp } | null;
}

const index = (project: string) => `${project}/src/index.ts`;
const domain = index('libs/payments-domain');
const imports = (name: string) => `import * as it from '${name}';\nexport const seen = it;\n`;
const lines = (count: number) => Array.from({ length: count }, (_, at) => `export const n${at} = ${at};`).join('\n');
const body = (count: number) => Array.from({ length: count }, () => '  it.push(1);').join('\n');

const boundary = (tag: string, project: string, forbidden: string, entry = 'index') => ({
  tag,
  title: `a ${tag} project imports ${forbidden}`,
  file: `${project}/src/${entry}.ts`,
  code: imports(forbidden),
  refused: { rule: '@nx/enforce-module-boundaries', says: new RegExp(`tagged with "${tag}" can only depend on`) },
});

const crossings = [
  boundary('type:contract', 'libs/contracts', '@settle/concurrency'),
  boundary('type:domain', 'libs/payments-domain', '@settle/config'),
  boundary('type:platform', 'libs/config', '@settle/payments-domain'),
  boundary('type:storage', 'libs/postgres', '@settle/payments-domain'),
  boundary('type:event-store', 'libs/event-store', '@settle/payments-domain'),
  boundary('type:local-server', 'libs/local-kafka', '@settle/payments-domain'),
  boundary('type:launching', 'libs/launching', '@settle/api-gateway'),
  boundary('type:testing', 'libs/testing', '@settle/payments-domain'),
  boundary('type:edge', 'apps/api-gateway', '@settle/users-service'),
  boundary('type:edge', 'apps/api-gateway', '@settle/postgres'),
  boundary('type:service', 'apps/users-service', '@settle/payments-service'),
  boundary('type:service', 'apps/auth-service', '@settle/users-service'),
  boundary('type:ledger', 'apps/payments-service', '@settle/users-service'),
  boundary('type:launcher', 'apps/all-in-one', '@settle/e2e', 'main'),
  boundary('type:e2e', 'apps/e2e', '@settle/payments-domain'),
  boundary('type:sdk', 'sdks/typescript', '@settle/contracts'),
];

const impure = (title: string, code: string, rule: string, says: RegExp): Fixture => ({
  title: `the domain ${title}`,
  file: domain,
  code,
  refused: { rule, says },
});

const purity = [
  impure('imports a built-in of Node', imports('node:fs'), 'no-restricted-imports', /only the contracts/),
  impure('imports a built-in by its bare name', imports('crypto'), 'no-restricted-imports', /only the contracts/),
  impure('imports Nest', imports('@nestjs/common'), 'no-restricted-imports', /only the contracts/),
  impure('imports a database driver', imports('pg'), 'no-restricted-imports', /only the contracts/),
  impure('reads the clock', 'export const at = Date.now();\n', 'no-restricted-globals', /Time comes/),
  impure('makes a date', 'export const at = new Date();\n', 'no-restricted-globals', /Time comes/),
  impure('draws by chance', 'export const n = Math.random();\n', 'no-restricted-properties', /chance/),
  impure('rounds a decimal', 'export const s = (1).toFixed(2);\n', 'no-restricted-properties', /cents/),
  impure('parses a decimal', "export const n = parseFloat('1');\n", 'no-restricted-globals', /cents/),
  impure('waits', 'setTimeout(() => {}, 1);\n', 'no-restricted-globals', /waits/),
  impure('reads the environment', 'export const e = process.env;\n', 'no-restricted-globals', /environment/),
];

const style = (title: string, code: string, rule: string, says: RegExp): Fixture => ({
  title,
  file: index('apps/users-service'),
  code,
  refused: { rule, says },
});

const everywhere = [
  style('product code imports the testing lib', imports('@settle/testing'), 'no-restricted-imports', /Only specs/),
  style(
    'a project reaches into another by a relative path',
    imports('../../../libs/config/src/index.js'),
    '@nx/enforce-module-boundaries',
    /relative or absolute path/,
  ),
  style('a file exports a star', "export * from './index.js';\n", 'no-restricted-syntax', /Name every export/),
  style(
    'a function takes five parameters',
    'export const f = (a: 1, b: 1, c: 1, d: 1, e: 1) => [a, b, c, d, e];\n',
    'no-restricted-syntax',
    /At most 4/,
  ),
  style(
    'a constructor takes six parameters',
    'export class A {\n  constructor(readonly a: 1, readonly b: 1, readonly c: 1, readonly d: 1, readonly e: 1, readonly f: 1) {}\n}\n',
    'no-restricted-syntax',
    /At most 5/,
  ),
  style(
    'context is known without being passed as an argument',
    "import { AsyncLocalStorage } from 'node:async_hooks';\nexport const here = new AsyncLocalStorage();\n",
    'no-restricted-syntax',
    /by hand/,
  ),
  style(
    'a pool of connections has no listeners',
    "import pg from 'pg';\nexport const pool = new pg.Pool();\n",
    'no-restricted-syntax',
    /createPool/,
  ),
  style('a file has 250 lines', `${lines(250)}\n`, 'max-lines', /249/),
  style(
    'a function has 70 lines',
    `export function f(it: number[]) {\n${body(68)}\n}\n`,
    'max-lines-per-function',
    /69/,
  ),
  {
    ...style(
      'a function of a tool has 70 lines',
      `export function f(it) {\n${body(68)}\n}\n`,
      'max-lines-per-function',
      /69/,
    ),
    file: 'tools/prepare.mjs',
  },
  style('a file prints', "console.log('x');\n", 'no-console', /console/),
  {
    ...style('a promise floats', 'Promise.resolve(1);\n', '@typescript-eslint/no-floating-promises', /must be/),
    file: index('libs/contracts'),
    needsTypes: true,
  },
  style('a value is any', 'export const x: any = 1;\n', '@typescript-eslint/no-explicit-any', /any/),
];

const storeSpec = readdirSync(`${workspace}libs/event-store/src`).find((name) => name.endsWith('.spec.ts'));

const clean: Fixture[] = [
  {
    title: 'a launcher imports the four services by name',
    file: 'apps/all-in-one/src/main.ts',
    code: ['api-gateway', 'auth-service', 'users-service', 'payments-service']
      .map((name, at) => `import * as service${at} from '@settle/${name}';\nexport const seen${at} = service${at};\n`)
      .join(''),
    refused: null,
  },
  {
    title: 'the domain imports contracts and its own files, and counts in cents',
    file: domain,
    code: "import type { PaymentStatus } from '@settle/contracts';\nexport const ended = (s: PaymentStatus) => s !== 'pending';\nexport const sumCents = (a: number, b: number) => a + b;\n",
    refused: null,
  },
  {
    title: 'a spec of the event store imports the testing lib',
    file: `libs/event-store/src/${storeSpec}`,
    code: imports('@settle/testing'),
    refused: null,
  },
  {
    title: 'a file, a function and a constructor that are exactly as long as allowed',
    file: index('apps/users-service'),
    code: `export function f(it: number[]) {\n${body(67)}\n}\n${lines(180)}\n`,
    refused: null,
  },
];

/** One violation in each project that has layers: its lowest folder imports from its highest, and from `src` itself. */
const upward = Object.entries(LAYERS).flatMap(([project, layers]): Fixture[] => {
  const [lowest = '', highest = ''] = [layers.at(0), layers.at(-1)];
  const planted = (title: string, file: string, from: string, says: RegExp | null): Fixture => ({
    title: `${project}: ${title}`,
    file: `${project}/src/${file}.ts`,
    code: `import { it } from '${from}';\nexport const seen = it;\n`,
    refused: says === null ? null : { rule: 'settle/layers', says },
  });
  return [
    planted('the lowest folder imports from the highest', `${lowest}/it`, `../${highest}/it.js`, /is below/),
    planted(
      'a folder in the lowest one imports from the highest',
      `${lowest}/deep/it`,
      `../../${highest}/it.js`,
      /is below/,
    ),
    planted('a folder imports from src itself', `${lowest}/it`, '../main.js', /is below src/),
    planted('a folder without a layer', 'nowhere/it', './that.js', /has no layer/),
    planted('the highest folder imports from the lowest', `${highest}/it`, `../${lowest}/it.js`, null),
  ];
});

const fixtures: Fixture[] = [...crossings, ...purity, ...everywhere, ...upward, ...clean];

interface Message {
  readonly rule: string | null;
  readonly message: string;
}

function lintAll(): Message[][] {
  const run = spawnSync(process.execPath, ['tools/lint/lint-texts.mjs'], {
    cwd: workspace,
    env: { ...process.env, NX_DAEMON: 'false', NODE_OPTIONS: '' },
    input: JSON.stringify(fixtures),
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
    timeout: 55_000,
  });
  if (run.status !== 0) throw new Error(`The linter stopped: ${run.stderr}`);
  return JSON.parse(run.stdout);
}

describe('the import rules of lint', () => {
  const results = lintAll();

  it('given the table of allowed imports, when the fixtures are listed, then each of its rows has one', () => {
    const [, options] = boundaries['@nx/enforce-module-boundaries'] as [
      string,
      { depConstraints: { sourceTag: string }[] },
    ];
    const rows = options.depConstraints.map(({ sourceTag }) => sourceTag);
    expect(new Set(crossings.map(({ tag }) => tag))).toEqual(new Set(rows));
  });

  it.each(fixtures.map((fixture, at) => ({ ...fixture, said: results[at] ?? [] })))(
    'given $title, when it is linted, then lint reports what it should',
    ({ refused, said }) => {
      if (refused === null) expect(said).toEqual([]);
      else {
        const hits = said.filter(({ rule, message }) => rule === refused.rule && refused.says.test(message));
        expect({ hits: hits.length > 0, said }).toEqual({ hits: true, said });
      }
    },
  );
});
