import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import pg from 'pg';
import {
  checkServer,
  migrateSchema,
  prepareMigrationsRole,
  prepareServiceDatabase,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from './index.js';

const logger = { info: jest.fn(), warn: jest.fn(), error: jest.fn() };
let dataDir: string;
let server: EmbeddedPostgres | undefined;

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'settle embedded '));
  logger.warn.mockClear();
});

afterEach(async () => {
  await server?.stop();
  server = undefined;
  await rm(dataDir, { recursive: true, force: true });
});

describe('startEmbeddedPostgres', () => {
  it('given a path with a space, when the server restarts, then its port and rows are unchanged', async () => {
    server = await startEmbeddedPostgres({ dataDir, logger });
    const first = server.adminUrl;
    await query(first, 'CREATE TABLE kept AS SELECT 7 AS seven');
    await server.stop();
    await expect(query(first, 'SELECT 1')).rejects.toThrow();
    server = await startEmbeddedPostgres({ dataDir, logger });
    expect(server.adminUrl).toBe(first);
    expect(await query(first, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }]);
    expect(logger.warn).not.toHaveBeenCalled();
  });

  it('given an orphaned server, when a new one starts, then it replaces the orphan and has its rows', async () => {
    const orphanUrl = await startInProcessAndKill(dataDir);
    await query(orphanUrl, 'CREATE TABLE kept AS SELECT 7 AS seven');
    server = await startEmbeddedPostgres({ dataDir, logger });
    expect(logger.warn).toHaveBeenCalledTimes(1);
    expect(await query(server.adminUrl, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }]);
  });

  it('given a running server, when it is killed, then it is restarted with all committed rows', async () => {
    server = await startEmbeddedPostgres({ dataDir, logger });
    await query(server.adminUrl, 'CREATE TABLE kept AS SELECT 7 AS seven');
    const restarted = new Promise<void>((resolve) => logger.warn.mockImplementationOnce(() => resolve()));
    process.kill(
      Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]),
      'SIGKILL',
    );
    await restarted;
    expect(await query(server.adminUrl, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }]);
  });

  it('given a pid file with the id of another program, when the server starts, then the program keeps running', async () => {
    server = await startEmbeddedPostgres({ dataDir, logger });
    await server.stop();
    await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${process.pid}\n/nowhere\n1\n1\n`);
    server = await startEmbeddedPostgres({ dataDir, logger });
    expect(await query(server.adminUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it.each([
    ['in a usual folder', '', null],
    ['in a folder whose path is too long for a socket', 'x'.repeat(120), '127.0.0.1'],
  ])(
    'given a server %s, when a client connects, then it uses the address that works',
    async (_where, name, address) => {
      server = await startEmbeddedPostgres({ dataDir: join(dataDir, name), logger });
      expect(await query(server.adminUrl, 'SELECT host(inet_server_addr()) AS address')).toEqual([{ address }]);
    },
  );

  it('given the lock file of a socket with the id of a running program, when the server starts, then it does', async () => {
    server = await startEmbeddedPostgres({ dataDir, logger });
    const { port } = new URL(server.adminUrl);
    await server.stop();
    for (const name of [`.s.PGSQL.${port}`, `.s.PGSQL.${port}.lock`]) {
      await writeFile(join(dataDir, 'postgres', name), `${process.ppid}\n`);
    }
    server = await startEmbeddedPostgres({ dataDir, logger });
    expect(await query(server.adminUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(new URL(server.adminUrl).port).toBe(port);
  });

  it('given a running server, when its settings are checked, then it is durable, local and requires its password', async () => {
    server = await startEmbeddedPostgres({ dataDir, logger });
    await expect(checkServer(server.adminUrl)).resolves.toBeUndefined();
    const wrong = server.adminUrl.replace(/:[0-9a-f]{48}@/, ':wrong@');
    await expect(query(wrong, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    const [row] = await query(server.adminUrl, 'SHOW listen_addresses');
    expect(row).toEqual({ listen_addresses: '127.0.0.1' });
    expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
  });

  it('given the role of a service, when it connects to other databases, then the server denies access', async () => {
    server = await startEmbeddedPostgres({ dataDir, logger });
    const name = 'odd "name" \'é';
    const url = await prepareServiceDatabase({ adminUrl: server.adminUrl, name, password: 'p@ss:/word' });
    expect(await prepareServiceDatabase({ adminUrl: server.adminUrl, name, password: 'p@ss:/word' })).toBe(url);
    expect(await query(url, 'SELECT current_user AS role, current_database() AS database')).toEqual([
      { role: name, database: name },
    ]);
    for (const other of ['postgres', 'template1']) {
      const otherUrl = new URL(url);
      otherUrl.pathname = `/${other}`;
      await expect(query(otherUrl.toString(), 'SELECT 1')).rejects.toThrow(/permission denied/);
    }
  });

  it('given an admin role without superuser rights, when databases are prepared repeatedly, then each attempt succeeds', async () => {
    server = await startEmbeddedPostgres({ dataDir, logger });
    await query(server.adminUrl, `CREATE ROLE operator LOGIN CREATEDB CREATEROLE PASSWORD 'operator'`);
    await query(server.adminUrl, 'GRANT CONNECT ON DATABASE postgres TO operator');
    const admin = new URL(server.adminUrl);
    admin.username = admin.password = 'operator';
    const prepare = (password: string) => prepareServiceDatabase({ adminUrl: admin.toString(), name: 'one', password });
    await prepare('first');
    const url = await prepare('second');
    expect(await query(url, 'SELECT current_user AS role')).toEqual([{ role: 'one' }]);
    await query(url, 'CREATE TABLE accounts (id int)');

    const prepareMigrations = (password: string) =>
      prepareMigrationsRole({ adminUrl: admin.toString(), name: 'one', password });
    await prepareMigrations('first');
    await prepare('third');
    const migrationsUrl = await prepareMigrations('second');
    await migrateSchema({ service: 'users-service', migrations: [] }, migrationsUrl);
    const asService = await prepare('fourth');
    expect(await query(asService, 'SELECT * FROM accounts')).toEqual([]);
    await expect(query(asService, 'DROP TABLE accounts')).rejects.toThrow('must be owner of table accounts');
    await query(migrationsUrl, 'DROP TABLE accounts');
  });
});

describe('checkServer', () => {
  it('given a closed port, when the server is checked, then the error names the address without the password', async () => {
    const check = checkServer('postgres://me:sesame@127.0.0.1:1/postgres');
    await expect(check).rejects.toThrow(/^The database at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/);
    await expect(check).rejects.not.toThrow(/sesame/);
  });
});

/** Starts the server from a separate process, kills that process, and returns the admin URL. */
async function startInProcessAndKill(folder: string): Promise<string> {
  const script = `
    import { startEmbeddedPostgres } from '@settle/postgres';
    const logger = { info() {}, warn() {} };
    const server = await startEmbeddedPostgres({ dataDir: process.argv[1], logger });
    console.log(server.adminUrl);
    setInterval(() => undefined, 1000);`;
  const args = ['--input-type=module', '--eval', script, folder];
  const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
  return line.toString().trim();
}
