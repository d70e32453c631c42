/** The allowed imports, one row per tag; `tools/lint/boundaries.spec.ts` plants a violation of each. */
const may = (sourceTag, ...onlyDependOnLibsWithTags) => ({ sourceTag, onlyDependOnLibsWithTags });

const platform = ['type:platform', 'type:contract'];

const depConstraints = [
  may('type:contract', 'type:contract'),
  may('type:domain', 'type:contract'),
  may('type:platform', ...platform),
  may('type:storage', ...platform, 'type:storage', 'type:testing'),
  may('type:event-store', ...platform, 'type:storage', 'type:testing'),
  may('type:local-server', ...platform),
  may('type:testing', ...platform, 'type:storage', 'type:local-server'),
  may('type:edge', ...platform, 'type:domain', 'type:testing'),
  may('type:service', ...platform, 'type:storage', 'type:testing'),
  may('type:ledger', ...platform, 'type:storage', 'type:event-store', 'type:domain', 'type:testing'),
  may('type:launching', ...platform, 'type:storage', 'type:testing'),
  may(
    'type:launcher',
    ...platform,
    ...['type:storage', 'type:local-server', 'type:launching', 'type:edge', 'type:service', 'type:ledger'],
    'type:testing',
  ),
  may('type:e2e', 'type:contract', 'type:testing', 'type:sdk'),
  // A client library that is published alone; its specs may use the testing lib.
  may('type:sdk', 'type:testing'),
];

export const boundaries = {
  '@nx/enforce-module-boundaries': [
    'error',
    { allow: [], depConstraints, enforceBuildableLibDependency: false, banTransitiveDependencies: false },
  ],
};

/** Test code stays out of the product. */
export const specsOnly = {
  'no-restricted-imports': [
    'error',
    { paths: [{ name: '@settle/testing', message: 'Only specs may import the testing lib.' }] },
  ],
};

/** The domain is pure: no Nest, no I/O, no clock, no chance. */
export const domainPurity = {
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        {
          regex: '^(?!\\.{1,2}/|@settle/contracts$)',
          message: 'The domain imports only the contracts.',
        },
      ],
    },
  ],
  'no-restricted-globals': [
    'error',
    ...['Date', 'performance'].map((name) => ({ name, message: 'Time comes with the command.' })),
    ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'].map((name) => ({
      name,
      message: 'The domain waits for nothing.',
    })),
    ...['process', 'globalThis'].map((name) => ({ name, message: 'The domain knows no environment.' })),
    { name: 'crypto', message: 'Ids and chance come with the command.' },
    { name: 'fetch', message: 'The domain does no I/O.' },
    { name: 'parseFloat', message: 'Money is integer cents.' },
  ],
  'no-restricted-properties': [
    'error',
    { object: 'Math', property: 'random', message: 'Ids and chance come with the command.' },
    { property: 'toFixed', message: 'Money is integer cents.' },
    { object: 'Number', property: 'parseFloat', message: 'Money is integer cents.' },
  ],
};
