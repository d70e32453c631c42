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
  it('given a path with a space, when it starts, stops and starts again, then port and rows are the same', async () => {
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

  it('given its starter was killed, when it starts again, then the orphan is stopped and its rows are there', async () => {
    const left = await startInProcessAndKill(dataDir);
    await query(left, 'CREATE TABLE kept AS SELECT 7 AS seven');
    server = await startEmbeddedPostgres({ dataDir, logger });
    expect(logger.warn).toHaveBeenCalledTimes(1);
    expect(await query(server.adminUrl, 'SELECT seven FROM kept')).toEqual([{ seven: 7 }]);
  });

  it('given the server itself is killed, when a second has passed, then it runs again with all that was committed', async () => {
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

  it('given a pid file whose number is another program, when it starts, then that program is left alone', async () => {
    server = await startEmbeddedPostgres({ dataDir, logger });
    await server.stop();
    await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${process.pid}\n/nowhere\n1\n1\n`);
    server = await startEmbeddedPostgres({ dataDir, logger });
    expect(await query(server.adminUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('given a running server, when it is looked at, then it is durable, local, and asks for its password', async () => {
    server = await startEmbeddedPostgres({ dataDir, logger });
    await expect(checkServer(server.adminUrl)).resolves.toBeUndefined();
    const wrong = server.adminUrl.replace(/:[0-9a-f]{48}@/, ':wrong@');
    await expect(query(wrong, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    const [row] = await query(server.adminUrl, 'SHOW listen_addresses');
    expect(row).toEqual({ listen_addresses: '127.0.0.1' });
    expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).toBe(0o600);
  });

  it('given a service, when it looks around, then it reaches its own database only', async () => {
    server = await startEmbeddedPostgres({ dataDir, logger });
    const name = 'odd "name" \'é';
    const url = await prepareServiceDatabase({ adminUrl: server.adminUrl, name, password: 'p@ss:/word' });
    expect(await prepareServiceDatabase({ adminUrl: server.adminUrl, name, password: 'p@ss:/word' })).toBe(url);
    expect(await query(url, 'SELECT current_user AS me, current_database() AS mine')).toEqual([
      { me: name, mine: name },
    ]);
    for (const other of ['postgres', 'template1']) {
      const elsewhere = new URL(url);
      elsewhere.pathname = `/${other}`;
      await expect(query(elsewhere.toString(), 'SELECT 1')).rejects.toThrow(/permission denied/);
    }
  });

  it('given an admin who is no superuser, when databases are prepared again and again, then they are', async () => {
    server = await startEmbeddedPostgres({ dataDir, logger });
    await query(server.adminUrl, `CREATE ROLE operator LOGIN CREATEDB CREATEROLE PASSWORD 'operator'`);
    await query(server.adminUrl, 'GRANT CONNECT ON DATABASE postgres TO operator');
    const admin = new URL(server.adminUrl);
    admin.username = admin.password = 'operator';
    const prepare = (password: string) => prepareServiceDatabase({ adminUrl: admin.toString(), name: 'one', password });
    await prepare('first');
    const url = await prepare('second');
    expect(await query(url, 'SELECT current_user AS me')).toEqual([{ me: 'one' }]);
    await query(url, 'CREATE TABLE mine (id int)');

    const separate = (password: string) => prepareMigrationsRole({ adminUrl: admin.toString(), name: 'one', password });
    await separate('first');
    await prepare('third');
    const migrationsUrl = await separate('second');
    await migrateSchema({ service: 'users-service', migrations: [] }, migrationsUrl);
    const asService = await prepare('fourth');
    expect(await query(asService, 'SELECT * FROM mine')).toEqual([]);
    await expect(query(asService, 'DROP TABLE mine')).rejects.toThrow('must be owner of table mine');
    await query(migrationsUrl, 'DROP TABLE mine');
  });
});

describe('checkServer', () => {
  it('given an address where nobody listens, when it is checked, then one line names it without the password', async () => {
    const checked = checkServer('postgres://me:sesame@127.0.0.1:1/postgres');
    await expect(checked).rejects.toThrow(/^The database at 127\.0\.0\.1:1 cannot be reached: .*ECONNREFUSED/);
    await expect(checked).rejects.not.toThrow(/sesame/);
  });
});

/** Starts the server from a process of its own that is then killed, and returns the admin URL. */
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
