/**
 * Four levels of specs, told apart by their suffix: pure (`.spec.ts`), int (`.int.spec.ts`, a real PostgreSQL), kafka
 * (`.kafka.spec.ts`, a real Apache Kafka), e2e (`.e2e.spec.ts`).
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

const sources = ['<rootDir>/apps/*/src/**', '<rootDir>/libs/*/src/**', '<rootDir>/tools/**'];
const specs = (suffix) => sources.map((place) => `${place}/*${suffix}`);

export default {
  projects: [
    {
      ...base,
      displayName: 'pure',
      testMatch: specs('.spec.ts'),
      testPathIgnorePatterns: ['/node_modules/', '/dist/', '\\.(int|kafka|e2e)\\.spec\\.ts$'],
    },
    {
      ...base,
      displayName: 'int',
      testMatch: specs('.int.spec.ts'),
      globalSetup: '<rootDir>/libs/testing/src/int-setup.ts',
      globalTeardown: '<rootDir>/libs/testing/src/int-teardown.ts',
    },
    {
      ...base,
      displayName: 'kafka',
      testMatch: specs('.kafka.spec.ts'),
      globalSetup: '<rootDir>/libs/testing/src/kafka-setup.ts',
      globalTeardown: '<rootDir>/libs/testing/src/kafka-teardown.ts',
    },
    {
      ...base,
      displayName: 'e2e',
      runner: '<rootDir>/apps/e2e/one-at-a-time.mjs',
      testMatch: specs('.e2e.spec.ts'),
      globalSetup: '<rootDir>/apps/e2e/src/e2e-setup.ts',
      globalTeardown: '<rootDir>/apps/e2e/src/e2e-teardown.ts',
    },
  ],
  testTimeout: 60_000,
};
