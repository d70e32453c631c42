import fc from 'fast-check';
import { LIMITS, readSettings, settingsTableMarkdown } from './index.js';
import { PRODUCTION, problemsOf } from '../test/settings-problems.fixture.js';
import { DOCUMENTED_SETTINGS, SETTINGS_TABLE } from './settings-table.js';

describe('settings', () => {
  // Shows limit-11, limit-14, limit-15, limit-26
  it('given an empty environment, when read, then every default of the table holds', () => {
    expect(readSettings({})).toEqual({
      nodeEnv: 'development',
      host: '127.0.0.1',
      port: 3000,
      publicUrl: 'http://localhost:3000',
      dataDir: '.data',
      dataKey: null,
      databaseUrl: null,
      migrationsDatabaseUrl: null,
      eventStore: { kind: 'postgres' },
      demo: true,
      devTools: true,
      referenceProvider: true,
      logLevel: 'info',
      corsOrigins: [],
      tokenGraceMs: 0,
      refreshLeewayMs: 10_000,
      trustedProxies: 0,
      contactVisibility: 'everyone',
      payments: { maxAmountCents: 299_999, feeBps: 0, feeFixedCents: 0, expiryDays: 30 },
      funding: expect.any(Object),
      kafka: {
        brokers: [],
        port: 9092,
        topicPrefix: '',
        replicationFactor: 1,
        sessionTimeoutMs: 6_000,
        tls: null,
        signIn: null,
      },
      messages: { smtp: null, smsWebHook: null },
      rateLimits: {
        perToken: { perSecond: 100, burst: 500 },
        perApp: { perSecond: 1_000, burst: 5_000 },
        perAddress: { perSecond: 300, burst: 2_000 },
      },
      userLimits: { pendingPerPair: 20, pendingPerUser: 200, newPayeesPerDay: 200, amountPerDayCents: null },
      requestsInProgress: 256,
      requestsInProgressPerAddress: 64,
      tracesEndpoint: null,
      authUrl: null,
      health: { host: '127.0.0.1', port: null },
      instanceId: null,
      introspectionSecret: null,
      securityLogKey: null,
      allowHttpRedirects: false,
      refreshFamilyMs: 31_536_000_000,
    });
  });

  it('given empty values, when read, then they count as not set', () => {
    const empty = Object.fromEntries(Object.values(SETTINGS_TABLE).map((row) => [row.name, ' ']));
    expect(readSettings(empty)).toEqual(readSettings({}));
  });

  it('given settings, when changed by a program, then they stay as they are', () => {
    const settings = readSettings({});
    expect(() => Object.assign(settings, { port: 1 })).toThrow(TypeError);
    expect(() => Object.assign(settings.payments, { feeBps: 1 })).toThrow(TypeError);
    expect(() => (settings.corsOrigins as string[]).push('https://x.example')).toThrow(TypeError);
    expect(() => Object.assign(LIMITS.gateway, { bodyBytes: 1 })).toThrow(TypeError);
  });

  it.each([
    ['PORT', '8080', { port: 8080, publicUrl: 'http://localhost:8080' }],
    ['PUBLIC_URL', 'http://127.0.0.1:9000/', { publicUrl: 'http://127.0.0.1:9000' }],
    ['HOST', '::1', { host: '::1' }],
    ['DATABASE_URL', 'postgres://u:p@db:5432/x', { databaseUrl: 'postgres://u:p@db:5432/x' }],
    ['MIGRATIONS_DATABASE_URL', 'postgresql://db/x', { migrationsDatabaseUrl: 'postgresql://db/x' }],
    ['DATABASE_URL', 'postgresql://db/x', { databaseUrl: 'postgresql://db/x' }],
    [
      'SMS_WEBHOOK_URL',
      'https://sms.example/x?y=1',
      { messages: { smtp: null, smsWebHook: { url: 'https://sms.example/x?y=1', token: null } } },
    ],
    ['DEMO', 'false', { demo: false, devTools: false }],
    ['DEV_TOOLS', 'false', { demo: true, devTools: false }],
    [
      'CORS_ORIGINS',
      'https://a.example, http://b.example:81/',
      { corsOrigins: ['https://a.example', 'http://b.example:81'] },
    ],
    ['CONTACT_VISIBILITY', 'self', { contactVisibility: 'self' }],
    ['RATE_LIMITS', 'off', { rateLimits: null, userLimits: null, requestsInProgress: 256 }],
    ['PENDING_PER_PAIR', '7', { userLimits: { pendingPerPair: 7 } }],
    ['PENDING_PER_USER', '7', { userLimits: { pendingPerUser: 7 } }],
    ['NEW_PAYEES_PER_DAY', '7', { userLimits: { newPayeesPerDay: 7 } }],
    ['AMOUNT_PER_DAY', '50.5', { userLimits: { amountPerDayCents: 5_050 } }],
    ['TOKEN_GRACE_SECONDS', '10', { tokenGraceMs: 10_000 }],
    ['REFRESH_LEEWAY', '0', { refreshLeewayMs: 0 }],
    ['RATE_LIMIT_TOKEN_BURST', '7', { rateLimits: { perToken: { perSecond: 100, burst: 7 } } }],
    ['RATE_LIMIT_ADDRESS_PER_SECOND', '7', { rateLimits: { perAddress: { perSecond: 7, burst: 2_000 } } }],
    ['REQUESTS_IN_PROGRESS', '1', { requestsInProgress: 1 }],
  ])('given %s=%s, when read, then it counts', (name, value, expected) => {
    expect(readSettings({ [name]: value })).toMatchObject(expected);
  });

  it.each([
    ['0.01', 1],
    ['5', 500],
    ['5.5', 550],
    ['2999.99', 299_999],
  ])('given MAX_AMOUNT=%s, when read, then it is %i cents', (value, maxAmountCents) => {
    expect(readSettings({ MAX_AMOUNT: value }).payments.maxAmountCents).toBe(maxAmountCents);
  });

  it.each([
    // Shows user-13
    [{}, 'friends'],
    [{ CONTACT_VISIBILITY: 'everyone' }, 'everyone'],
  ])('given production and %p, when read, then contacts are visible to %s', (written, expected) => {
    expect(readSettings({ ...PRODUCTION, ...written }).contactVisibility).toBe(expected);
  });

  // Shows demo-9
  it('given DEMO=false and DEV_TOOLS=true, when read, then it is an empty wallet to play with', () => {
    expect(readSettings({ DEMO: 'false', DEV_TOOLS: 'true' })).toMatchObject({ demo: false, devTools: true });
  });

  it.each([
    ['NODE_ENV', 'prod'],
    ['SMTP_URL', 'mail.example.com'],
    ['MAIL_FROM', 'Settle <settle@example.com>'],
    ['SMS_WEBHOOK_URL', 'https://user:password@sms.example.com'],
    ['TOKEN_GRACE_SECONDS', '31'],
    ['RATE_LIMITS', 'false'],
    ['RATE_LIMIT_TOKEN_PER_SECOND', '0'],
    ['PENDING_PER_PAIR', '0'],
    ['PENDING_PER_USER', '-1'],
    ['NEW_PAYEES_PER_DAY', 'none'],
    ['AMOUNT_PER_DAY', '1.001'],
    ['HOST', 'not a host'],
    ['HOST', 'http://x'],
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '3000x'],
    ['PORT', '-1'],
    ['PUBLIC_URL', 'localhost:3000'],
    ['PUBLIC_URL', 'ftp://x.example'],
    ['PUBLIC_URL', 'https://x.example/path'],
    ['PUBLIC_URL', 'https://x.example/?q'],
    ['DATABASE_URL', 'mysql://x/y'],
    ['MIGRATIONS_DATABASE_URL', 'mysql://x/y'],
    ['DATABASE_URL', 'postgres:'],
    ['EVENT_STORE', 'kafka'],
    ['EVENTSTORE_URL', 'http://x:2113'],
    ['EVENTSTORE_URL', 'esdb://'],
    ['DEMO', 'yes'],
    ['DEV_TOOLS', '1'],
    ['LOG_LEVEL', 'loud'],
    ['MAX_AMOUNT', '0'],
    ['MAX_AMOUNT', '1.001'],
    ['MAX_AMOUNT', '1e3'],
    ['FEE_BPS', '10001'],
    ['FEE_FIXED_CENTS', '0.5'],
    ['PAYMENT_EXPIRY_DAYS', '0'],
    ['CONTACT_VISIBILITY', 'invalid'],
    ['CORS_ORIGINS', '*'],
  ])('given %s=%s, when read, then one line names it and says what to write', (name, value) => {
    const problems = problemsOf({ [name]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${name}: .+; write for example ${name}=`));
    expect(problems[0]).not.toContain('\n');
  });

  it.each([
    'esdb://localhost:2113?tls=false',
    'esdb://admin:changeit@a:2113,b:2113,c:2113',
    'esdb+discover://cluster.example.com/?nodePreference=leader',
  ])('given an EventStoreDB at %s, when read, then the events live there', (url) => {
    const { eventStore } = readSettings({ EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: url });
    expect(eventStore).toEqual({ kind: 'eventstoredb', url });
  });

  it.each([{}, { EVENTSTORE_URL: 'esdb:/x' }])(
    'given EventStoreDB and %j, when read, then one line names it',
    (env) => {
      const problems = problemsOf({ EVENT_STORE: 'eventstoredb', ...env });
      expect(problems).toEqual([expect.stringMatching(/^EVENTSTORE_URL: .+; write for example EVENTSTORE_URL=/)]);
    },
  );

  it('given several bad values, when read, then all are named at once', () => {
    const problems = problemsOf({ PORT: 'x', FEE_BPS: 'y', LOG_LEVEL: 'z' });
    expect(problems.map((line) => line.split(':')[0])).toEqual(['PORT', 'LOG_LEVEL', 'FEE_BPS']);
  });

  it.each(['DATABASE_URL', 'MIGRATIONS_DATABASE_URL', 'PUBLIC_URL', 'EVENTSTORE_URL', 'SMTP_URL', 'SMS_WEBHOOK_URL'])(
    'given any bad %s, when refused, then no part of it is repeated',
    (name) => {
      fc.assert(
        fc.property(fc.stringMatching(/^[!-~]{6,31}$/), (value) => {
          const canary = `Zq7#${value}`;
          for (const problem of problemsOf({ [name]: canary })) expect(problem).not.toContain('Zq7#');
        }),
      );
    },
  );
});

describe('settings in production', () => {
  // Shows demo-11
  it('given what production needs, when read, then there is no demo', () => {
    expect(readSettings(PRODUCTION)).toMatchObject({ nodeEnv: 'production', demo: false, devTools: false });
  });

  it.each([
    // Shows demo-12
    ['DEMO', 'true'],
    ['DEV_TOOLS', 'true'],
    ['PUBLIC_URL', 'http://pay.example.com'],
  ])('given %s=%s, when read, then it refuses, naming that alone', (name, value) => {
    const problems = problemsOf({ ...PRODUCTION, [name]: value });
    expect(problems.map((line) => line.split(':')[0])).toEqual([name]);
  });

  // Shows demo-16
  it.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://[::1]:3000'])(
    'given the loopback address %s without https, when read, then it is accepted',
    (publicUrl) => {
      expect(readSettings({ ...PRODUCTION, PUBLIC_URL: publicUrl }).publicUrl).toBe(publicUrl);
    },
  );
});

describe('settings page', () => {
  it('given the table, when printed, then each setting has one row of five cells', () => {
    const lines = settingsTableMarkdown().split('\n');
    for (const row of DOCUMENTED_SETTINGS) {
      const own = lines.filter((line) => line.startsWith(`| \`${row.name}\` |`));
      expect(own).toHaveLength(1);
      expect(own[0]?.split(/(?<!\\)\|/)).toHaveLength(7);
    }
  });
});
