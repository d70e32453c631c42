import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { forEachConcurrent } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type pg from 'pg';
import { listClusterFiles, nullIfMissing, listSegmentNames } from './cluster-files.js';
import { copyWithDigest, computeDigest, type FileDigest } from './file-digests.js';
import { withClient } from './with-client.js';

export interface ClusterCopyOptions {
  /** URL of the superuser; it holds a password. */
  readonly adminUrl: string;
  /** Folder of the cluster on this machine. */
  readonly from: string;
  /** Existing empty folder that receives the copy. */
  readonly to: string;
  /** Called after each file with the bytes copied so far and the size of the cluster when the copy began. */
  readonly onProgress: (copiedBytes: number, totalBytes: number) => void;
}

export interface ClusterCopy {
  readonly folders: readonly string[];
  /** Paths are relative to the copy's folder. */
  readonly files: readonly FileDigest[];
  /** Such as `18.4`. */
  readonly serverVersion: string;
  readonly systemIdentifier: string;
  /** Positions in the write-ahead log: replay starts at `startLsn`; from `stopLsn` on the copy is consistent. */
  readonly startLsn: string;
  readonly stopLsn: string;
}

const CONTROL_FILE = 'global/pg_control';
const CONTROL_FILE_ATTEMPTS = 10;

/**
 * Copies the cluster of a running server with PostgreSQL's low-level backup functions, including the write-ahead log
 * that makes the copy consistent. The files are not flushed to disk. Everything runs in one session: when the session
 * ends early, the server discards the backup and its replication slot. Errors have one-line messages.
 */
export async function copyRunningCluster(options: ClusterCopyOptions): Promise<ClusterCopy> {
  const config = { connectionString: options.adminUrl, application_name: 'settle-backup', keepAlive: true };
  return withClient(config, async (client) => {
    let connectionError: Error | null = null;
    client.on('error', (error) => (connectionError = error));
    try {
      return await new ClusterCopier(client, options).run();
    } catch (error) {
      throw connectionError === null
        ? error
        : new Error('The connection to PostgreSQL broke during the backup', { cause: connectionError });
    }
  });
}

class ClusterCopier {
  readonly #files: FileDigest[] = [];
  #copiedBytes = 0;

  constructor(
    private readonly client: pg.Client,
    private readonly options: ClusterCopyOptions,
  ) {}

  async run(): Promise<ClusterCopy> {
    const server = await this.#readServerInfo();
    // The temporary slot keeps the server from removing log segments that the copy needs. It ends with the session.
    const slot = `settle_backup_${randomUUID().replaceAll('-', '')}`;
    await this.client.query('select pg_create_physical_replication_slot($1, true, true)', [slot]);
    const { lsn: startLsn } = await this.#queryRow<{ lsn: string }>(
      `select pg_backup_start('settle', fast => true)::text as lsn`,
    );
    const { folders, files } = await listClusterFiles(this.options.from);
    for (const folder of folders) await mkdir(join(this.options.to, folder), { mode: 0o700 });
    await this.#copyFiles(files);
    await this.#copyControlFile();
    const stop = await this.#queryRow<{ lsn: string; labelfile: string; spcmapfile: string; last_segment: string }>(
      `select lsn::text, labelfile, spcmapfile, pg_walfile_name(lsn) as last_segment
         from pg_backup_stop(wait_for_archive => false)`,
    );
    if (stop.spcmapfile.trim() !== '') throw new Error('The cluster has tablespaces; backups do not support them');
    await this.#writeNewFile('backup_label', stop.labelfile);
    await this.#copyLog(parseFirstSegment(stop.labelfile), stop.last_segment, server.segment_bytes);
    return {
      folders,
      files: this.#files,
      serverVersion: server.version,
      systemIdentifier: server.identifier,
      startLsn,
      stopLsn: stop.lsn,
    };
  }

  async #readServerInfo() {
    await this.client.query('set statement_timeout = 0');
    const server = await this.#queryRow<{
      wal_level: string;
      version: string;
      identifier: string;
      segment_bytes: number;
    }>(
      `select current_setting('wal_level') as wal_level, current_setting('server_version') as version,
              (select system_identifier::text from pg_control_system()) as identifier,
              (select setting::int from pg_settings where name = 'wal_segment_size') as segment_bytes`,
    );
    if (server.wal_level === 'minimal') {
      throw new Error(
        'This PostgreSQL runs with wal_level=minimal, which does not allow backups: restart Settle and try again',
      );
    }
    return server;
  }

  async #copyFiles(files: readonly { path: string; bytes: number }[]): Promise<void> {
    const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const remaining = files.filter(({ path }) => path !== CONTROL_FILE);
    await forEachConcurrent(remaining, LIMITS.backup.filesAtOnce, async ({ path }) => {
      await this.#copyFile(path);
      this.options.onProgress(this.#copiedBytes, totalBytes);
    });
  }

  /** Copies a file and returns false if the server has removed it meanwhile; replaying the log removes it, too. */
  async #copyFile(path: string): Promise<boolean> {
    const { from, to } = this.options;
    const copied = await copyWithDigest(join(from, path), join(to, path)).catch(nullIfMissing);
    if (copied === null) return false;
    this.#files.push({ path, ...copied });
    this.#copiedBytes += copied.bytes;
    return true;
  }

  /**
   * Copies the control file after all others, once two reads in a row return the same content: the server overwrites it
   * in place, and replaying the log cannot repair a torn copy.
   */
  async #copyControlFile(): Promise<void> {
    const read = () => readFile(join(this.options.from, CONTROL_FILE));
    let before = await read();
    for (let attempt = 1; attempt <= CONTROL_FILE_ATTEMPTS; attempt += 1) {
      const now = await read();
      if (now.equals(before)) return this.#writeNewFile(CONTROL_FILE, now);
      before = now;
    }
    throw new Error('PostgreSQL kept changing pg_control during the copy: take the backup again');
  }

  async #copyLog(first: string, last: string, segmentBytes: number): Promise<void> {
    const histories = (await readdir(join(this.options.from, 'pg_wal'))).filter((name) => name.endsWith('.history'));
    for (const name of [...histories, ...listSegmentNames(first, last, segmentBytes)]) {
      const isCopied = await this.#copyFile(`pg_wal/${name}`);
      if (!isCopied) throw new Error(`Segment ${name} of the write-ahead log is missing: take the backup again`);
    }
  }

  async #writeNewFile(path: string, content: string | Buffer): Promise<void> {
    const target = join(this.options.to, path);
    await writeFile(target, content, { mode: 0o600, flag: 'wx' });
    this.#files.push({ path, ...(await computeDigest(target)) });
  }

  async #queryRow<Row extends object>(statement: string): Promise<Row> {
    const [row] = (await this.client.query<Row>(statement)).rows;
    if (row === undefined) throw new Error('PostgreSQL returned no row');
    return row;
  }
}

/** Returns the segment in the line `START WAL LOCATION: 0/2000028 (file 000000010000000000000002)`. */
function parseFirstSegment(label: string): string {
  const name = /^START WAL LOCATION: .*\(file ([0-9A-F]{24})\)$/m.exec(label)?.[1];
  if (name === undefined) throw new Error('PostgreSQL returned a backup label without a segment');
  return name;
}
