import { randomUUID } from 'node:crypto';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '@settle/config';
import pg from 'pg';
import { listClusterFiles, nullIfGone, segmentNames } from './cluster-files.js';
import { copyWithDigest, digestOf, type FileDigest } from './file-digests.js';

export interface ClusterCopyOptions {
  /** Of the superuser. */
  readonly adminUrl: string;
  /** The cluster's folder, on this machine. */
  readonly from: string;
  /** An existing empty folder. */
  readonly to: string;
  /** Called after each file with the bytes copied so far and the bytes that were there when the copy began. */
  readonly onProgress: (copiedBytes: number, totalBytes: number) => void;
}

export interface ClusterCopy {
  readonly folders: readonly string[];
  /** Paths are relative to the copy's folder. */
  readonly files: readonly FileDigest[];
  /** Such as `18.4`. */
  readonly serverVersion: string;
  readonly systemIdentifier: string;
  /** Places in the write-ahead log: replaying from the first, the copy is consistent at the second. */
  readonly startLsn: string;
  readonly stopLsn: string;
}

const CONTROL_FILE = 'global/pg_control';
const CONTROL_TRIES = 10;

/**
 * Copies a cluster while its server serves, by PostgreSQL's low-level backup functions, with the write-ahead log that
 * makes the copy consistent. Nothing is flushed to disk. All in one session: when that ends early, the server forgets the backup and its slot.
 * Errors: one line each.
 */
export async function copyRunningCluster(options: ClusterCopyOptions): Promise<ClusterCopy> {
  const client = new pg.Client({
    connectionString: options.adminUrl,
    connectionTimeoutMillis: LIMITS.postgres.connectTimeoutMs,
    application_name: 'settle-backup',
    keepAlive: true,
  });
  let lost: Error | null = null;
  client.on('error', (error) => (lost = error));
  await client.connect();
  try {
    return await new RunningCopy(client, options).run();
  } catch (error) {
    throw lost === null ? error : new Error('The connection to PostgreSQL broke during the backup', { cause: lost });
  } finally {
    await client.end().catch(() => undefined);
  }
}

interface ServerFacts {
  readonly wal_level: string;
  readonly version: string;
  readonly identifier: string;
  readonly segment_bytes: number;
}

class RunningCopy {
  readonly #files: FileDigest[] = [];
  #copiedBytes = 0;

  constructor(
    private readonly client: pg.Client,
    private readonly options: ClusterCopyOptions,
  ) {}

  async run(): Promise<ClusterCopy> {
    const facts = await this.#facts();
    // Without the slot the server removes segments of its log that the copy needs. It ends with the session.
    const slot = `settle_backup_${randomUUID().replaceAll('-', '')}`;
    await this.client.query('select pg_create_physical_replication_slot($1, true, true)', [slot]);
    const { lsn: startLsn } = await this.#row<{ lsn: string }>(
      `select pg_backup_start('settle', fast => true)::text as lsn`,
    );
    const { folders, files } = await listClusterFiles(this.options.from);
    for (const folder of folders) await mkdir(join(this.options.to, folder), { mode: 0o700 });
    await this.#copyFiles(files);
    await this.#copyControlFile();
    const stop = await this.#row<{ lsn: string; labelfile: string; spcmapfile: string; last_segment: string }>(
      `select lsn::text, labelfile, spcmapfile, pg_walfile_name(lsn) as last_segment
         from pg_backup_stop(wait_for_archive => false)`,
    );
    if (stop.spcmapfile.trim() !== '') throw new Error('The cluster has tablespaces, which are not backed up here');
    await this.#write('backup_label', stop.labelfile);
    await this.#copyLog(firstSegment(stop.labelfile), stop.last_segment, facts.segment_bytes);
    return {
      folders,
      files: this.#files,
      serverVersion: facts.version,
      systemIdentifier: facts.identifier,
      startLsn,
      stopLsn: stop.lsn,
    };
  }

  async #facts(): Promise<ServerFacts> {
    await this.client.query('set statement_timeout = 0');
    const facts = await this.#row<ServerFacts>(
      `select current_setting('wal_level') as wal_level, current_setting('server_version') as version,
              (select system_identifier::text from pg_control_system()) as identifier,
              (select setting::int from pg_settings where name = 'wal_segment_size') as segment_bytes`,
    );
    if (facts.wal_level === 'minimal') {
      throw new Error(
        'This PostgreSQL was started before backups were possible (wal_level=minimal): restart Settle first',
      );
    }
    return facts;
  }

  async #copyFiles(files: readonly { path: string; bytes: number }[]): Promise<void> {
    const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
    const left = files.filter(({ path }) => path !== CONTROL_FILE).values();
    const copyNext = async () => {
      for (const { path } of left) {
        await this.#copy(path);
        this.options.onProgress(this.#copiedBytes, totalBytes);
      }
    };
    await Promise.all(Array.from({ length: LIMITS.backup.filesAtOnce }, copyNext));
  }

  /** A file that is gone was removed by the server: the log says so when it is replayed. */
  async #copy(path: string): Promise<boolean> {
    const { from, to } = this.options;
    const copied = await copyWithDigest(join(from, path), join(to, path)).catch(nullIfGone);
    if (copied === null) return false;
    this.#files.push({ path, ...copied });
    this.#copiedBytes += copied.bytes;
    return true;
  }

  /** Last of all, and the same twice in a row: the server writes it in place, and no log mends a torn one. */
  async #copyControlFile(): Promise<void> {
    const read = () => readFile(join(this.options.from, CONTROL_FILE));
    let before = await read();
    for (let attempt = 1; attempt <= CONTROL_TRIES; attempt += 1) {
      const now = await read();
      if (now.equals(before)) return this.#write(CONTROL_FILE, now);
      before = now;
    }
    throw new Error('PostgreSQL kept changing pg_control while it was copied: take the backup again');
  }

  async #copyLog(first: string, last: string, segmentBytes: number): Promise<void> {
    const histories = (await readdir(join(this.options.from, 'pg_wal'))).filter((name) => name.endsWith('.history'));
    for (const name of [...histories, ...segmentNames(first, last, segmentBytes)]) {
      const isThere = await this.#copy(`pg_wal/${name}`);
      if (!isThere) throw new Error(`Segment ${name} of the write-ahead log is gone: take the backup again`);
    }
  }

  async #write(path: string, content: string | Buffer): Promise<void> {
    const place = join(this.options.to, path);
    await writeFile(place, content, { mode: 0o600, flag: 'wx' });
    this.#files.push({ path, ...(await digestOf(place)) });
  }

  async #row<Row extends object>(statement: string): Promise<Row> {
    const { rows } = await this.client.query<Row>(statement);
    const [row] = rows;
    if (row === undefined) throw new Error('PostgreSQL gave no row');
    return row;
  }
}

/** Of the line `START WAL LOCATION: 0/2000028 (file 000000010000000000000002)`. */
function firstSegment(label: string): string {
  const name = /^START WAL LOCATION: .*\(file ([0-9A-F]{24})\)$/m.exec(label)?.[1];
  if (name === undefined) throw new Error('PostgreSQL gave a backup label without a segment');
  return name;
}
