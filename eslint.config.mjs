import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { layersRule } from './tools/lint/layers.mjs';
import { boundaries, domainPurity, specsOnly } from './tools/lint/rules.mjs';

const SIZES = {
  'max-lines': ['error', { max: 249 }],
  'max-lines-per-function': ['error', { max: 69 }],
};

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.data/**', '.nx/**', '**/*.generated.ts'] },
  { plugins: { '@nx': nx, '@typescript-eslint': tseslint.plugin, settle: { rules: { layers: layersRule } } } },
  {
    files: ['**/*.ts'],
    languageOptions: {
      parser: tseslint.parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      ...boundaries,
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { arguments: false } }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      ...SIZES,
      'max-depth': ['error', 3],
      complexity: ['error', 14],
      'no-console': 'error',
      eqeqeq: 'error',
      'no-restricted-syntax': [
        'error',
        { selector: 'ExportAllDeclaration', message: 'Name every export: no `export *`.' },
        {
          selector: ":function[params.length>4]:not(MethodDefinition[kind='constructor'] > FunctionExpression)",
          message: 'At most 4 parameters: pass an object.',
        },
        {
          selector: "MethodDefinition[kind='constructor'] > FunctionExpression[params.length>5]",
          message: 'At most 5 constructor parameters.',
        },
        {
          selector: 'ImportDeclaration[source.value=/^(node:)?async_hooks$/]',
          message:
            'Node 22 runs a hook for every promise while it is in use (docs/adr/0016-spans-by-hand.md): pass it on by hand.',
        },
        {
          selector: "NewExpression[callee.object.name='pg'][callee.property.name='Pool']",
          message:
            'Call createPool: a pool without its listeners ends the process when the server ends an idle connection.',
        },
      ],
    },
  },
  { files: ['**/*.mjs'], rules: SIZES },
  {
    files: ['**/*.ts'],
    ignores: ['**/*.spec.ts', '*/*/test/**', 'libs/testing/**', 'apps/e2e/**'],
    rules: specsOnly,
  },
  {
    files: ['**/*.spec.ts', '**/*.contract.fixture.ts'],
    // `tools/lint/sources.spec.ts` counts the lines of specs, their tags aside.
    rules: { 'max-lines': 'off', 'max-lines-per-function': 'off', '@typescript-eslint/no-non-null-assertion': 'off' },
  },
  {
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: ['**/*.spec.ts', '**/*.migration.ts'],
    rules: { 'settle/layers': 'error' },
  },
  {
    files: ['libs/payments-domain/src/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: domainPurity,
  },
);
