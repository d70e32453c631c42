import { createMessageSecret } from '@settle/provider-api';
import { problemsOf } from '../test/settings-problems.fixture.js';
import { readSettings } from './index.js';

const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: 'https://pay.example.com' };
const secret = createMessageSecret();

describe('settings of funding', () => {
  it('given an empty environment, when read, then there is no provider and every default of the table holds', () => {
    expect(readSettings({}).funding).toEqual({
      provider: null,
      allowTestProvider: false,
      pageOrigins: [],
      waitMs: 2_000,
      pendingMs: 259_200_000,
      withdrawalHoldMs: 259_200_000,
      sourcePerDayCents: 50_000,
      withdrawPerDayCents: 100_000,
      withdrawReviewCents: 50_000,
      callbacks: { host: '127.0.0.1', port: 3002 },
      callbacksUrl: null,
    });
  });

  it('given all settings of funding, when read, then they count in their units', () => {
    const { funding } = readSettings({
      FUNDING_PROVIDER_URL: 'https://provider.example/v1/',
      FUNDING_PROVIDER_SECRET: secret,
      ALLOW_TEST_PROVIDER: 'true',
      FUNDING_PAGE_ORIGINS: 'https://a.example, http://localhost:4000',
      FUNDING_WAIT_MS: '0',
      FUNDING_PENDING_DAYS: '1',
      WITHDRAWAL_HOLD_HOURS: '0',
      SOURCE_AMOUNT_PER_DAY: '1.5',
      WITHDRAW_PER_DAY: '2',
      WITHDRAW_REVIEW: '3',
      PROVIDER_CALLBACKS_HOST: '0.0.0.0',
      PROVIDER_CALLBACKS_PORT: '0',
      PROVIDER_CALLBACKS_URL: 'http://payments:3002',
    });
    expect(funding).toEqual({
      provider: { url: 'https://provider.example/v1', secret },
      allowTestProvider: true,
      pageOrigins: ['https://a.example', 'http://localhost:4000'],
      waitMs: 0,
      pendingMs: 86_400_000,
      withdrawalHoldMs: 0,
      sourcePerDayCents: 150,
      withdrawPerDayCents: 200,
      withdrawReviewCents: 300,
      callbacks: { host: '0.0.0.0', port: 0 },
      callbacksUrl: 'http://payments:3002',
    });
  });

  it('given a provider without a secret, when read, then one line asks for the file', () => {
    expect(problemsOf({ FUNDING_PROVIDER_URL: 'https://provider.example' })).toEqual([
      'FUNDING_PROVIDER_SECRET_FILE: it is needed with FUNDING_PROVIDER_URL; write for example ' +
        'FUNDING_PROVIDER_SECRET_FILE=/run/secrets/funding-provider-secret',
    ]);
  });

  it.each([
    ['three secrets', [secret, secret, secret].join('\n')],
    ['a short one', 'whsec_c4naryc4nary'],
    ['one that is not base64', `whsec_${'c4nary!'.repeat(6)}`],
  ])('given %s, when read, then one line refuses it and repeats nothing of it', (_, value) => {
    const problems = problemsOf({
      FUNDING_PROVIDER_URL: 'https://provider.example',
      FUNDING_PROVIDER_SECRET: value,
    });
    expect(problems).toEqual([expect.stringMatching(/^FUNDING_PROVIDER_SECRET: the value is not one or two secrets/)]);
    expect(problems[0]).not.toMatch(/c4nary/);
  });

  it.each([
    ['http://provider.example', ['FUNDING_PROVIDER_URL']],
    ['http://10.0.0.7', ['FUNDING_PROVIDER_URL']],
    ['http://127.0.0.1:4000', []],
    ['https://10.0.0.7', []],
  ])('given production and the provider %s, when read, then these settings are refused: %j', (url, refused) => {
    const env = { ...PRODUCTION, FUNDING_PROVIDER_URL: url, FUNDING_PROVIDER_SECRET: secret };
    expect(problemsOf(env).map((line) => line.split(':')[0])).toEqual(refused);
    expect(problemsOf({ ...env, NODE_ENV: 'development', DEMO: 'false' })).toEqual([]);
  });

  it.each([
    [{}, 'http://pages.example', 1],
    [{}, 'http://localhost:4000', 0],
    [PRODUCTION, 'http://localhost:4000', 1],
    [PRODUCTION, 'https://a.example,http://b.example', 1],
    [PRODUCTION, 'https://a.example,https://b.example', 0],
  ])('given %j and pages at %s, when read, then there are %i problems', (env, origins, count) => {
    const problems = problemsOf({ ...env, FUNDING_PAGE_ORIGINS: origins });
    expect(problems.map((line) => line.split(':')[0])).toEqual(new Array(count).fill('FUNDING_PAGE_ORIGINS'));
  });

  it.each([
    ['http://127.0.0.1:4000/v1', {}, ['http://127.0.0.1:4000']],
    ['http://127.0.0.1:4000', { FUNDING_PAGE_ORIGINS: 'http://localhost:4001' }, ['http://localhost:4001']],
    ['https://provider.example', {}, []],
    ['http://127.0.0.1:4000', PRODUCTION, []],
  ])('given the provider %s with %j, when read, then users may be sent to %j', (url, env, origins) => {
    const provider = { FUNDING_PROVIDER_URL: url, FUNDING_PROVIDER_SECRET: secret };
    expect(readSettings({ ...provider, ...env }).funding.pageOrigins).toEqual(origins);
  });

  it('given values out of bounds, when read, then each is refused', () => {
    const env = {
      FUNDING_WAIT_MS: '5001',
      FUNDING_PENDING_DAYS: '0',
      WITHDRAWAL_HOLD_HOURS: '2161',
      SOURCE_AMOUNT_PER_DAY: '0',
      WITHDRAW_PER_DAY: '-1',
      WITHDRAW_REVIEW: '1.001',
      PROVIDER_CALLBACKS_URL: 'http://payments:3002/path',
    };
    expect(problemsOf(env).map((line) => line.split(':')[0])).toEqual(Object.keys(env));
  });
});
