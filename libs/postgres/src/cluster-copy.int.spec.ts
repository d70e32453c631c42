import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import pg from 'pg';
import { copyRunningCluster } from './cluster-copy.js';
import { changeFolderOwnerToServer, startEmbeddedPostgres, type EmbeddedPostgres } from './index.js';

const logger = { info: jest.fn(), warn: jest.fn(), error: jest.fn() };
/** They write during the whole copy. What they write is copied and replayed, so more of them only take longer. */
const WRITERS = 2;
const ROWS_AT_ONCE = 200;

let dataDir: string;
const servers: EmbeddedPostgres[] = [];

async function start(folder: string): Promise<string> {
  const server = await startEmbeddedPostgres({ dataDir: folder, logger });
  servers.push(server);
  return server.adminUrl;
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'settle copy '));
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

describe('copyRunningCluster', () => {
  it('given a server under write load, when its cluster is copied, then a server on the copy has every earlier transaction and no partial one', async () => {
    const source = join(dataDir, 'live');
    const url = await start(source);
    const client = await connect(url);
    await client.query('create table units (writer int, number int, filler text)');
    await client.query('create table counters (writer int primary key, units int)');
    let isOver = false;
    const write = async (writer: number) => {
      const connection = await connect(url);
      await connection.query('insert into counters values ($1, 0)', [writer]);
      for (let number = 1; !isOver; number += 1) {
        await connection.query('begin');
        await connection.query(
          `insert into units select $1, $2, repeat('x', 300) from generate_series(1, ${ROWS_AT_ONCE})`,
          [writer, number],
        );
        await connection.query('update counters set units = $2 where writer = $1', [writer, number]);
        await connection.query('commit');
      }
      await connection.end();
    };
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
    const countUnits = async (reader: pg.Client) =>
      Number((await reader.query<{ sum: string }>('select sum(units) as sum from counters')).rows[0]?.sum ?? 0);
    let before = 0;
    while (before < WRITERS) before = await countUnits(client);

    // The folder and its owner are those of a restored backup.
    const copy = join(dataDir, 'copy', 'postgres');
    await mkdir(copy, { recursive: true, mode: 0o700 });
    let progress = 0;
    const onProgress = (copiedBytes: number) => (progress = copiedBytes);
    const copied = await copyRunningCluster({ adminUrl: url, from: join(source, 'postgres'), to: copy, onProgress });
    isOver = true;
    await writing;
    const after = await countUnits(client);
    await client.end();

    expect(progress).toBeGreaterThan(0);
    expect(copied.files.map(({ path }) => path)).toEqual(expect.arrayContaining(['backup_label', 'PG_VERSION']));
    expect(copied.files.filter(({ path }) => /^pg_wal\/[0-9A-F]{24}$/.test(path)).length).toBeGreaterThan(0);
    await cp(join(source, 'secrets.json'), join(dataDir, 'copy', 'secrets.json'));
    await changeFolderOwnerToServer(copy);
    const restored = await connect(await start(join(dataDir, 'copy')));
    const restoredUnits = await countUnits(restored);
    expect(restoredUnits).toBeGreaterThanOrEqual(before);
    expect(restoredUnits).toBeLessThanOrEqual(after);
    const { rows } = await restored.query(
      `select writer, number from units group by 1, 2 having count(*) <> ${ROWS_AT_ONCE}`,
    );
    expect(rows).toEqual([]);
    const counted = await restored.query<{ units: string }>('select count(*) as units from units');
    expect(Number(counted.rows[0]?.units)).toBe(restoredUnits * ROWS_AT_ONCE);
    await restored.end();
  });

  it('given a copy that fails, when the replication slots are read, then none is left', async () => {
    const url = await start(dataDir);
    const from = join(dataDir, 'postgres');
    const copied = copyRunningCluster({
      adminUrl: url,
      from,
      to: join(dataDir, 'nowhere'),
      onProgress: () => undefined,
    });
    await expect(copied).rejects.toThrow(/ENOENT/);
    const client = await connect(url);
    expect((await client.query('select slot_name from pg_replication_slots')).rows).toEqual([]);
    await client.end();
  });
});
