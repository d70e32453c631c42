import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import pg from 'pg';
import type { OwnPostgres } from './own-postgres.fixture.js';

/** Files of the running server that a copy must not have. `pg_wal` comes from the archive. */
const LEFT_OUT = new Set(['pg_wal', 'postmaster.pid', 'postmaster.opts']);

/** Copies the data folder of a running server to `copy`, by the interface for copies of files. */
export async function takeBaseBackup(server: OwnPostgres, copy: string): Promise<void> {
  // The copy belongs to the session that has begun it.
  const client = new pg.Client(server.url);
  await client.connect();
  try {
    await client.query(`select pg_backup_start('drill', fast => true)`);
    await copyTolerantly(server.data, copy);
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    await mkdir(join(copy, 'pg_wal'), { mode: 0o700 });
    await writeFile(join(copy, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await client.end();
  }
}

/** Files come and go while a server runs; the write-ahead log has what happened to them. */
async function copyTolerantly(data: string, copy: string): Promise<void> {
  const isCopied = (file: string) => !LEFT_OUT.has(relative(data, file).split(sep)[0] ?? '');
  await cp(data, copy, { recursive: true, filter: isCopied }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await rm(copy, { recursive: true });
    await copyTolerantly(data, copy);
  });
}
