import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@settle/postgres';
import { SPEC_DATA_KEY, freePort } from '@settle/testing';
import pg from 'pg';
import { READY, launch, refusal, stops, useDataDir } from '../test/launch.fixture.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

const dataDir = useDataDir();

describe('a start that cannot be', () => {
  it('given a port in use, when it starts, then one line names the port', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as { port: number };
    expect(await refusal({ PORT: String(port) })).toContain(`Port ${port} on 127.0.0.1 is in use`);
    holder.close();
  });

  it('given a folder that cannot be written, when it starts, then one line names it', async () => {
    await writeFile(join(dataDir(), 'file'), '');
    expect(await refusal({ DATA_DIR: join(dataDir(), 'file', 'data') })).toMatch(/data folder .* cannot be written/);
  });

  it('given an unreachable database, when the product starts, then one line names its address without the password', async () => {
    const line = await refusal({ DATABASE_URL: 'postgres://me:sesame@127.0.0.1:1/postgres' });
    expect(line).toMatch(/127\.0\.0\.1:1 cannot be reached/);
    expect(line).not.toContain('sesame');
  });

  it('given a setting that means nothing, when it starts, then one line says what to write', async () => {
    expect(await refusal({ DEMO: 'perhaps' })).toMatch(/DEMO: "perhaps" is not true or false; write/);
  });

  // Shows demo-12, demo-16
  it.each([
    ['DEMO', 'true'],
    ['DEV_TOOLS', 'true'],
    ['PUBLIC_URL', 'http://pay.example'],
  ])('given %s=%s in production, when it starts, then one line refuses it', async (name, value) => {
    const line = await refusal({ NODE_ENV: 'production', PUBLIC_URL: 'https://pay.example', [name]: value });
    expect(line).toContain(name);
  });

  // Shows demo-13
  it('given a public address alone, when it starts, then one line refuses the demo and names the settings', async () => {
    const line = await refusal({ PUBLIC_URL: 'https://pay.example' });
    expect(line).toMatch(/DEMO: .*PUBLIC_URL or HOST.*NODE_ENV=production.*ALLOW_DEMO_ON_NETWORK=true/);
  });

  // Shows demo-15
  it('given a folder that the developer tools filled, when it starts in production, then one line says what to do', async () => {
    const trial = launch({ DEMO: 'false', DEV_TOOLS: 'true' });
    await trial.says(READY);
    await stops(trial);
    const line = await refusal({ NODE_ENV: 'production', PUBLIC_URL: 'http://127.0.0.1:3000' });
    expect(line).toMatch(/is marked "development"; .*take a new DATA_DIR/);
  });

  it('given a running product, when another starts on its data folder, then the second ends with an error and the first keeps running', async () => {
    const first = launch({});
    const url = await first.says(READY);
    expect(await refusal({})).toMatch(/already runs on this data folder \(process \d+\)/);
    expect((await fetch(`${url}/v1/me`)).status).toBe(401);
    await stops(first);
  });
});

describe('a running product', () => {
  it('given a port for health, when it runs, then it says there that it is ready, and shows the metrics of all services', async () => {
    const port = await freePort();
    const running = launch({ HEALTH_PORT: String(port) });
    const url = await running.says(READY);
    expect((await fetch(`${url}/v1/me`)).status).toBe(401);
    expect((await fetch(`http://127.0.0.1:${port}/health/ready`)).status).toBe(200);
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(page).toMatch(
      /^settle_http_request_duration_seconds_count\{route="\/v1\/me",method="GET",status="4xx"\} 1$/m,
    );
    expect(page).toMatch(/^settle_event_store_units_total\{outcome="stored"\} [1-9]/m);
    for (const environment of ['live', 'sandbox']) {
      expect(page).toContain(`\nsettle_projection_active{environment="${environment}"} 1\n`);
    }
    const pools = [...page.matchAll(/^settle_pg_pool_waiting\{pool="([^"]+)"\}/gm)].map(([, pool]) => pool);
    expect(pools).toEqual(expect.arrayContaining(['payments-service', 'users-service', 'auth', 'auth-entities']));
    await stops(running);
  });

  // Shows demo-1, demo-2
  it('given the demo, when it is ready, then its curl lines work as printed', async () => {
    const running = launch({});
    const pay = await run(await running.says(/^(curl \S+\/payments -d .*)/));
    const me = await run(await running.says(/^(curl "\S+\/me\?.*)/));
    const list = await run(await running.says(/^(curl "\S+\/payments\?.*)/));
    expect(pay.data).toMatchObject({ balance: 95, payment: { status: 'settled', amount: 5, note: 'Coffee' } });
    expect(me.data).toMatchObject({ balance: 95, user: { username: 'alice' } });
    expect(list.data).toHaveLength(1);
    await stops(running);
  });

  // Shows demo-11
  it('given production on an empty folder, when it runs, then nothing of the demo is there', async () => {
    const port = await freePort();
    const address = { PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` };
    const running = launch({ NODE_ENV: 'production', DATA_KEY: SPEC_DATA_KEY, ...address });
    const url = await running.says(READY);
    const asked = ['/v1/oauth/authorize?client_id=demo-app&scope=make_payments', '/dev/mailbox'];
    const statuses = await Promise.all(asked.map(async (path) => (await fetch(url + path)).status));
    expect(statuses).toEqual([400, 404]);
    await stops(running);
  });

  it('given a kill -9, when it starts again, then the orphaned PostgreSQL is gone and the data is there', async () => {
    const first = launch({});
    await first.says(READY);
    const orphan = await postgresPid();
    first.signal('SIGKILL');
    await first.ended();
    expect(() => process.kill(orphan, 0)).not.toThrow();
    const second = launch({});
    await second.says(READY);
    expect(await postgresPid()).not.toBe(orphan);
    await stops(second);
  });

  it('given a signal while it starts, when it ends, then nothing is left running', async () => {
    const early = launch({});
    await early.says(/^(Starting PostgreSQL)$/);
    early.signal('SIGINT');
    await early.ended();
    await expect(postgresPid()).rejects.toThrow(/ENOENT/);
    const again = launch({});
    await again.says(READY);
    await stops(again);
  });
});

describe('a PostgreSQL of the operator', () => {
  let own: EmbeddedPostgres;
  let ownFolder: string;

  beforeAll(async () => {
    ownFolder = await mkdtemp(join(tmpdir(), 'settle-own-'));
    own = await startEmbeddedPostgres({ dataDir: ownFolder, logger: silent });
  });

  afterAll(async () => {
    await own.stop();
    await rm(ownFolder, { recursive: true, force: true });
  });

  it('given DATABASE_URL, when it starts twice, then the databases are made once and no server of ours is', async () => {
    for (let start = 1; start <= 2; start += 1) {
      const running = launch({ DATABASE_URL: own.adminUrl });
      await running.says(READY);
      await stops(running);
    }
    await expect(postgresPid()).rejects.toThrow(/ENOENT/);
  });

  it('given a server with fsync off, when it starts, then it is refused', async () => {
    const client = new pg.Client(own.adminUrl);
    await client.connect();
    await client.query('ALTER SYSTEM SET fsync = off');
    await client.query('SELECT pg_reload_conf()');
    await client.end();
    expect(await refusal({ DATABASE_URL: own.adminUrl })).toContain('runs with fsync=off');
  });
});

/** Does what a printed curl line does: a POST when it sends fields, else a GET. */
async function run(command: string): Promise<{ data: unknown }> {
  const [url = '', ...fields] = command.replaceAll('"', '').replace('curl ', '').split(' -d ');
  const post = { method: 'POST', body: new URLSearchParams(fields.join('&')) };
  const response = await fetch(url, fields.length > 0 ? post : {});
  return (await response.json()) as { data: unknown };
}

async function postgresPid(): Promise<number> {
  return Number((await readFile(join(dataDir(), 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}
