import { createMessageSecret } from '@settle/provider-api';
import { readSettings } from './index.js';
import { problemsOf } from '../test/settings-problems.fixture.js';

const PRODUCTION = { NODE_ENV: 'production', PUBLIC_URL: 'https://pay.example.com' };

describe('demo and developer tools', () => {
  const ON_NETWORK: readonly Record<string, string>[] = [
    { PUBLIC_URL: 'https://pay.example' },
    { PUBLIC_URL: 'http://192.168.1.5:3000' },
    { HOST: '0.0.0.0' },
    { HOST: '::' },
    { HOST: '127.0.0.1.example' },
    { PUBLISHED_HOST: '0.0.0.0' },
    { HOST: '0.0.0.0', PUBLISHED_HOST: '127.0.0.1', PUBLIC_URL: 'https://pay.example' },
  ];

  // Shows demo-13
  it.each(ON_NETWORK)('given %j, when read, then one line refuses the demo and names the ways out', (env) => {
    expect(problemsOf(env)).toEqual([
      expect.stringMatching(
        /^DEMO: .*PUBLIC_URL or HOST.*NODE_ENV=production.*ALLOW_DEMO_ON_NETWORK=true.*DEMO=false$/,
      ),
    ]);
    expect(problemsOf({ ...env, NODE_ENV: 'test', DEMO: 'false', DEV_TOOLS: 'true' })).toEqual([
      expect.stringMatching(/^DEV_TOOLS: /),
    ]);
    expect(problemsOf({ ...env, DEMO: 'false' })).toEqual([]);
    expect(readSettings({ ...env, ALLOW_DEMO_ON_NETWORK: 'true' })).toMatchObject({ demo: true, devTools: true });
  });

  it.each<Record<string, string>>([
    { HOST: '::1', PUBLIC_URL: 'http://localhost:8080' },
    { HOST: '127.0.0.2', PUBLIC_URL: 'http://[::1]:3000' },
    { HOST: '0.0.0.0', PUBLISHED_HOST: '127.0.0.1' },
  ])('given %j, which only this machine can reach, when read, then there is a demo', (env) => {
    expect(readSettings(env)).toMatchObject({ demo: true, devTools: true });
  });

  it('given ALLOW_DEMO_ON_NETWORK=true in production, when read, then it refuses, naming that alone', () => {
    expect(problemsOf({ ...PRODUCTION, ALLOW_DEMO_ON_NETWORK: 'true' })).toEqual([
      expect.stringMatching(/^ALLOW_DEMO_ON_NETWORK: /),
    ]);
  });

  it.each<Record<string, string>>([PRODUCTION, { DEMO: 'false' }, { DEV_TOOLS: 'false' }])(
    'given REFERENCE_PROVIDER=true with %j, when read, then it is refused',
    (env) => {
      expect(problemsOf({ ...env, REFERENCE_PROVIDER: 'true' })).toEqual([
        expect.stringMatching(/^REFERENCE_PROVIDER: .*DEV_TOOLS=true/),
      ]);
      expect(readSettings({ REFERENCE_PROVIDER: 'true' })).toMatchObject({ referenceProvider: true });
    },
  );

  const OWN = { FUNDING_PROVIDER_URL: 'http://127.0.0.1:4000', FUNDING_PROVIDER_SECRET: createMessageSecret() };
  it.each<[Record<string, string>, boolean]>([
    [{}, true],
    [{ DEMO: 'false', DEV_TOOLS: 'true' }, true],
    [{ DEV_TOOLS: 'false' }, false],
    [PRODUCTION, false],
    [OWN, false],
    [{ ...OWN, REFERENCE_PROVIDER: 'true' }, true],
    [{ REFERENCE_PROVIDER: 'false' }, false],
  ])('given %j, when read, then the reference provider starts: %p', (env, referenceProvider) => {
    expect(readSettings(env)).toMatchObject({ referenceProvider });
  });
});
