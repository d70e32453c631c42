import { SettingsError, readServiceSettings, readSettings, type EnvironmentVariables } from './index.js';

const OAUTH = { KAFKA_SASL_MECHANISM: 'OAUTHBEARER', KAFKA_TOKEN_URL: 'https://id.example.com/token' };
const SOUND = { KAFKA_BROKERS: 'localhost:9092', DATABASE_URL: 'postgres://db/x', PUBLIC_URL: 'http://localhost:3000' };

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

describe('settings of a service in a process of its own', () => {
  it.each([
    ['api-gateway', ['KAFKA_BROKERS', 'AUTH_URL']],
    ['auth-service', ['KAFKA_BROKERS', 'DATABASE_URL', 'PUBLIC_URL']],
    ['users-service', ['KAFKA_BROKERS', 'DATABASE_URL', 'PUBLIC_URL']],
    ['payments-service', ['KAFKA_BROKERS', 'DATABASE_URL']],
  ] as const)('given nothing, when %s reads them, then one line names each that it needs', (service, names) => {
    const problems = problemsOf(() => readServiceSettings(service, {}));
    expect(problems.map((line) => line.split(':')[0])).toEqual(names);
  });

  it('given no name, when read, then instances have different ids all the same', () => {
    expect(readServiceSettings('users-service', SOUND).instanceId).toMatch(
      new RegExp(`^users-service-.+-${process.pid}$`),
    );
    expect(readServiceSettings('users-service', { ...SOUND, INSTANCE_ID: 'u-1' }).instanceId).toBe('u-1');
  });

  it('given brokers and a name with its password, when read, then both count', () => {
    const env = { KAFKA_BROKERS: 'a:1, b.example:65535,[::1]:9092', KAFKA_SSL: 'true', KAFKA_USERNAME: 'settle' };
    expect(readSettings({ ...env, KAFKA_PASSWORD: 'sesame' }).kafka).toMatchObject({
      brokers: ['a:1', 'b.example:65535', '[::1]:9092'],
      tls: { ca: null, certificate: null, key: null },
      signIn: { mechanism: 'SCRAM-SHA-512', username: 'settle', password: { value: 'sesame' } },
    });
    expect(problemsOf(() => readSettings(env))).toEqual([
      expect.stringMatching(/^KAFKA_PASSWORD: it or KAFKA_PASSWORD_FILE is needed/),
    ]);
  });

  it.each<[string, Record<string, string>, object]>([
    [
      'PLAIN and a file',
      { KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_USERNAME: 'a', KAFKA_PASSWORD_FILE: '/run/p' },
      {
        signIn: { mechanism: 'PLAIN', username: 'a', password: { file: '/run/p' } },
      },
    ],
    [
      'a token in a file',
      { KAFKA_SASL_MECHANISM: 'OAUTHBEARER', KAFKA_TOKEN_FILE: '/run/t' },
      {
        signIn: { mechanism: 'OAUTHBEARER', tokenFile: '/run/t' },
      },
    ],
    [
      'client credentials',
      { ...OAUTH, KAFKA_USERNAME: 'a', KAFKA_PASSWORD: 'b', KAFKA_TOKEN_SCOPE: 'kafka write' },
      {
        signIn: {
          mechanism: 'OAUTHBEARER',
          tokenUrl: 'https://id.example.com/token',
          clientId: 'a',
          clientSecret: { value: 'b' },
          scope: 'kafka write',
        },
      },
    ],
    [
      'a client certificate',
      { KAFKA_SSL: 'true', KAFKA_CLIENT_CERTIFICATE_FILE: '/c', KAFKA_CLIENT_KEY_FILE: '/k' },
      {
        tls: { ca: null, certificate: '/c', key: '/k' },
        signIn: null,
      },
    ],
  ])('given %s, when settings are read, then the service signs in so', (_, env, expected) => {
    expect(readSettings(env).kafka).toMatchObject(expected);
  });

  it.each<[string, Record<string, string>]>([
    ['KAFKA_USERNAME', { KAFKA_SASL_MECHANISM: 'PLAIN' }],
    ['KAFKA_TOKEN_URL', { KAFKA_SASL_MECHANISM: 'OAUTHBEARER' }],
    ['KAFKA_USERNAME', OAUTH],
    ['KAFKA_PASSWORD_FILE', { KAFKA_USERNAME: 'a', KAFKA_PASSWORD: 'b', KAFKA_PASSWORD_FILE: '/run/p' }],
    ['KAFKA_CLIENT_KEY_FILE', { KAFKA_SSL: 'true', KAFKA_CLIENT_CERTIFICATE_FILE: '/c' }],
    ['KAFKA_CLIENT_CERTIFICATE_FILE', { KAFKA_SSL: 'true', KAFKA_CLIENT_KEY_FILE: '/k' }],
    ['KAFKA_SSL', { KAFKA_CA_FILE: '/ca' }],
  ])('given a sign-in that lacks %s, when settings are read, then the problem names it', (name, env) => {
    expect(problemsOf(() => readSettings(env))).toEqual([expect.stringMatching(new RegExp(`^${name}: `))]);
  });

  it.each<[string, string]>([
    ['KAFKA_BROKERS', 'localhost'],
    ['KAFKA_BROKERS', 'a:1,,b:2'],
    ['KAFKA_BROKERS', 'a:65536'],
    ['KAFKA_BROKERS', 'kafka://a:1'],
    ['KAFKA_TOPIC_PREFIX', 'a b'],
    ['KAFKA_SESSION_TIMEOUT_MS', '999'],
    ['KAFKA_SSL', 'yes'],
    ['KAFKA_SASL_MECHANISM', 'GSSAPI'],
    ['KAFKA_TOKEN_URL', 'ftp://identity.example.com'],
    ['HEALTH_PORT', '65536'],
    ['AUTH_URL', 'localhost:3001'],
    ['INSTANCE_ID', 'a/b'],
  ])('given %s=%s, when read, then one line names it', (name, value) => {
    const env: EnvironmentVariables = { [name]: value };
    expect(problemsOf(() => readSettings(env))).toEqual([expect.stringMatching(new RegExp(`^${name}: `))]);
  });

  it('given a password that cannot be one, when read, then the line does not repeat it', () => {
    const [problem] = problemsOf(() => readSettings({ KAFKA_USERNAME: 'a', KAFKA_PASSWORD: 'c4n 4ry' }));
    expect(problem).toMatch(/^KAFKA_PASSWORD: the value is not/);
    expect(problem).not.toContain('c4n');
  });
});
