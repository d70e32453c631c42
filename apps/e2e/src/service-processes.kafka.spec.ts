import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { DEMO_USERS, createPayment } from '@settle/contracts';
import { eventually, freePort, freshDatabase, startPostgresForSpecs, stopPostgresOfSpecs } from '@settle/testing';
import pg from 'pg';
import { loadToken } from './sign-in.js';
import { migrate, startService, type ServiceProcess } from './service-process.fixture.js';

const STORES = { 'auth-service': true, 'users-service': true, 'payments-service': true, 'api-gateway': false };
type App = keyof typeof STORES;
const APPS = Object.keys(STORES) as App[];

let environments: Readonly<Record<App, Record<string, string>>>;
const running = new Map<App, ServiceProcess>();
let publicUrl: string;

beforeAll(async () => {
  await startPostgresForSpecs();
  const [port, authPort] = [await freePort(), await freePort()];
  publicUrl = `http://127.0.0.1:${port}`;
  const all = {
    PUBLIC_URL: publicUrl,
    KAFKA_BROKERS: process.env['SETTLE_TEST_KAFKA'] ?? '',
    KAFKA_TOPIC_PREFIX: `spec-${randomBytes(6).toString('hex')}.`,
    KAFKA_SESSION_TIMEOUT_MS: '2000',
  };
  environments = {
    'auth-service': { ...all, DATABASE_URL: await migratedDatabase('auth-service'), PORT: String(authPort) },
    'users-service': { ...all, DATABASE_URL: await migratedDatabase('users-service') },
    'payments-service': { ...all, DATABASE_URL: await migratedDatabase('payments-service') },
    'api-gateway': { ...all, PORT: String(port), AUTH_URL: `http://127.0.0.1:${authPort}` },
  };
});
afterAll(async () => {
  for (const service of running.values()) {
    service.signal('SIGKILL');
    await service.ended();
  }
  await stopPostgresOfSpecs();
});

/** Returns the URL of a database, with the role of the service, that the migrations role has migrated. */
async function migratedDatabase(app: App): Promise<string> {
  const database = await freshDatabase();
  await migrate(app, { MIGRATIONS_DATABASE_URL: await database.separateMigrations() });
  return database.url;
}

async function start(app: App): Promise<ServiceProcess> {
  const service = await startService(app, environments[app]);
  running.set(app, service);
  return service;
}

async function countOf(databaseUrl: string, table: 'known_users'): Promise<number> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${table}`);
  await client.end();
  return rows[0]?.count ?? 0;
}

/** Only auth-service knows that a token was never issued, and it responds over Kafka. */
async function expectAuthResponds(): Promise<void> {
  const response = await fetch(`${publicUrl}/v1/me?access_token=never-issued`);
  expect([response.status, await response.json()]).toMatchObject([401, { error: { code: 'invalid_token' } }]);
}

async function showsPages(): Promise<void> {
  const response = await fetch(`${publicUrl}/v1/oauth/authorize?client_id=demo-app&scope=make_payments`);
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('name="password"')]);
}

/** Alice pays Bob a cent, which must settle. */
async function expectPaymentSettles(): Promise<void> {
  process.env['BASE_URL'] = `${publicUrl}/v1`;
  const body = new URLSearchParams({ user_id: DEMO_USERS.bob.id, amount: '0.01', note: 'metrics' });
  const headers = { authorization: `Bearer ${await loadToken('alice')}` };
  const response = await fetch(`${publicUrl}/v1/payments`, { method: 'POST', headers, body });
  expect([response.status, await response.json()]).toMatchObject([200, { data: { payment: { status: 'settled' } } }]);
}

/** Returns every metric of the four services, by service, name and labels. */
async function readMetrics(): Promise<ReadonlyMap<string, number>> {
  const pages = await Promise.all(
    APPS.map(async (app) => {
      const lines = ((await running.get(app)?.metrics()) ?? '').split('\n').filter((line) => /^[a-z]/.test(line));
      return lines.map((line) => {
        const at = line.lastIndexOf(' ');
        return [`${app} ${line.slice(0, at)}`, Number(line.slice(at))] as const;
      });
    }),
  );
  return new Map(pages.flat());
}

describe('the four services as processes', () => {
  it('given Kafka and PostgreSQL, when the services start at once, then each logs that it is ready and they serve together', async () => {
    await Promise.all(APPS.map(async (app) => (await start(app)).ready()));
    for (const app of APPS) {
      const response = await running.get(app)?.readiness();
      const checks = { kafka: true, ...(STORES[app] ? { postgres: true } : {}) };
      expect(response?.body).toMatchObject({ status: 'ready', checks });
    }
    await expectAuthResponds();
    await showsPages();
  });

  it('given a payment, when the metrics are scraped, then it has changed them and every documented metric is there', async () => {
    await expectPaymentSettles();
    const before = await readMetrics();
    await expectPaymentSettles();
    const after = await readMetrics();
    const moved = (name: string) => (after.get(name) ?? NaN) - (before.get(name) ?? 0);
    const route = 'route="/v1/payments",method="POST",status="2xx"';
    expect(moved(`api-gateway settle_http_request_duration_seconds_count{${route}}`)).toBe(1);
    const labelsOf = (side: string) => `side="${side}",pattern="${createPayment.pattern}",outcome="ok"`;
    expect(moved(`api-gateway settle_bus_request_duration_seconds_count{${labelsOf('asked')}}`)).toBe(1);
    expect(moved(`payments-service settle_bus_request_duration_seconds_count{${labelsOf('answered')}}`)).toBe(1);
    expect(moved('payments-service settle_event_store_units_total{outcome="stored"}')).toBeGreaterThan(0);
    expect(moved('payments-service settle_event_store_statements_total')).toBeGreaterThan(0);
    expect(moved('payments-service settle_projection_position{environment="live"}')).toBeGreaterThan(0);

    const names = [...after.keys()].map((key) => key.split(/[ {]/)[1]?.replace(/_(bucket|sum|count)$/, ''));
    const table = await readFile(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
    const described = [...table.matchAll(/^\| `(settle_\w+)`/gm)].map(([, name]) => name);
    expect(described.length).toBeGreaterThan(20);
    // This product has no payment provider.
    const isExpected = (name = '') => !name.startsWith('settle_provider_');
    expect(described.filter((name) => isExpected(name) && !names.includes(name))).toEqual([]);
  });

  it('given an empty database, when payments-service starts on it, then it is ready once it has read all users of the topic', async () => {
    running.get('payments-service')?.signal('SIGKILL');
    await running.get('payments-service')?.ended();
    const databaseUrl = await migratedDatabase('payments-service');
    environments['payments-service']['DATABASE_URL'] = databaseUrl;
    const payments = await start('payments-service');
    await payments.ready();
    expect((await payments.readiness())?.body).toMatchObject({ checks: { people: true } });
    expect(await countOf(databaseUrl, 'known_users')).toBe(3);
  });

  it.each(APPS)(
    'given %s that was killed, when it starts again, then it is ready and its data is unchanged',
    async (app) => {
      running.get(app)?.signal('SIGKILL');
      await running.get(app)?.ended();
      await (await start(app)).ready();
      await eventually(expectAuthResponds);
      await showsPages();
    },
  );

  it.each(APPS)('given %s that runs, when it gets SIGTERM, then it logs that and ends within 10 s', async (app) => {
    const service = running.get(app);
    service?.signal('SIGTERM');
    const end = service?.ended();
    await eventually(async () => expect((await service?.readiness())?.status).not.toBe(200));
    expect(await end).toMatchObject({ code: 0, errors: [] });
    expect((await end)?.tookMs).toBeLessThan(10_000);
    running.delete(app);
  });
});

describe('a start that fails', () => {
  it('given an unreachable broker, when a service starts, then it logs one line and ends', async () => {
    const away = { KAFKA_BROKERS: '127.0.0.1:1' };
    const services = await Promise.all(APPS.map((app) => startService(app, { ...environments[app], ...away })));
    const problem = expect.stringContaining('No Kafka broker answers at 127.0.0.1:1') as string;
    for (const service of services) expect(await service.ended()).toMatchObject({ code: 1, errors: [problem] });
  });

  it('given an unreachable database, when a service starts, then it logs one line and ends', async () => {
    const env = { ...environments['users-service'], DATABASE_URL: 'postgres://me:sesame@127.0.0.1:1/x' };
    const { code, errors } = await (await startService('users-service', env)).ended();
    expect([code, errors.length]).toEqual([1, 1]);
    expect(errors[0]).not.toContain('sesame');
  });

  it.each(['auth-service', 'users-service', 'payments-service'] as const)(
    'given a database that was not migrated, when %s starts on it, then one line names the command to run and it ends',
    async (app) => {
      const env = { ...environments[app], DATABASE_URL: (await freshDatabase()).url };
      const { code, errors } = await (await startService(app, env)).ended();
      expect([code, errors]).toEqual([
        1,
        [expect.stringContaining(`run \`node apps/${app}/dist/migrate.js\` with MIGRATIONS_DATABASE_URL`)],
      ]);
    },
  );

  it('given no MIGRATIONS_DATABASE_URL, when a database is to be migrated, then one line names the setting', async () => {
    await expect(migrate('users-service', { DATABASE_URL: 'postgres://db/x' })).rejects.toMatchObject({
      code: 1,
      stderr: 'users-service: the database was not migrated: MIGRATIONS_DATABASE_URL: it is required but not set\n',
    });
  });

  it('given no settings, when a service starts, then each missing setting is named', async () => {
    const { code, errors } = await (await startService('payments-service', {})).ended();
    expect(code).toBe(1);
    expect(errors.map((line) => line.split(':')[1]?.trim())).toEqual(['KAFKA_BROKERS', 'DATABASE_URL']);
  });
});
