import { spawn } from 'node:child_process';
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { forEachConcurrent } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { computeDigest, type FileDigest } from '@settle/postgres';
import type { BackupManifest } from './manifest.js';

const PROGRAM = 'pg_basebackup';

/**
 * Copies the operator's PostgreSQL with the `pg_basebackup` of this machine. Errors: why it cannot be done here, and
 * the commands to run instead.
 * @param adminUrl of a role with the right to replicate; it holds a password
 * @param to an empty folder
 */
export async function copyOwnServer(adminUrl: string, to: string, say: (line: string) => void): Promise<void> {
  const address = new URL(adminUrl);
  const password = decodeURIComponent(address.password);
  address.password = '';
  const url = address.href;
  say(`Copying the PostgreSQL at ${address.host} with ${PROGRAM}`);
  await mkdir(to, { recursive: true, mode: 0o700 });
  const args = [`--dbname=${url}`, `--pgdata=${to}`, '--wal-method=stream', '--checkpoint=fast', '--no-password'];
  const failure = await runBaseBackup(args, password);
  if (failure === null) return;
  throw new Error(`${failure}\n${commandsForBackup(url, dirname(to)).join('\n')}`);
}

/** Null: it is done. Else why not, in one line. */
function runBaseBackup(args: readonly string[], password: string): Promise<string | null> {
  const env = { ...process.env, ...(password === '' ? {} : { PGPASSWORD: password }) };
  const child = spawn(PROGRAM, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (complaint += chunk));
  return new Promise((resolve) => {
    child.once('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code === 'ENOENT' ? `There is no ${PROGRAM} on the PATH` : `${PROGRAM} cannot be run (${code})`);
    });
    child.once('close', (code, signal) => {
      if (code === 0) return resolve(null);
      const lines = complaint.split('\n').filter((line) => line.trim() !== '');
      resolve(`${PROGRAM} failed (${signal ?? code}): ${lines[0] ?? 'no reason given'}`);
    });
  });
}

/** The commands by which the operator takes the same backup where a fitting `pg_basebackup` is. */
function commandsForBackup(url: string, partial: string): string[] {
  const folder = partial.replace(/\.partial$/, '');
  return [
    'Run these instead, the first with a pg_basebackup of the version of the server and a role that may replicate:',
    '',
    `  ${PROGRAM} --dbname='${url}' --pgdata='${folder}/postgres' --wal-method=stream --checkpoint=fast`,
    `  npm run backup -- --complete '${folder}'`,
  ];
}

/** The commands by which the operator puts the copy in the place of the server's data. */
export function commandsForRestore(backup: string, dataDir: string): string[] {
  return [
    'Settle cannot replace the data of a PostgreSQL that it does not run. As its operator, on its machine:',
    '',
    '  psql -c "show data_directory"       # called <data> below',
    '  pg_ctl stop -D <data>               # or as your system stops it',
    '  mv <data> <data>.lost',
    `  cp -R '${backup}/postgres' <data>`,
    '  chown -R postgres: <data> && chmod 700 <data>',
    '  pg_ctl start -D <data>              # or as your system starts it; it replays the log of the backup',
    '',
    'Then, here, before Settle is started:',
    '',
    `  cp '${backup}/secrets.json' '${join(dataDir, 'secrets.json')}'`,
    `  npm run restore -- --finish '${backup}'`,
  ];
}

/** Returns everything in a copy that `pg_basebackup` made. Errors: one line, when it cannot be taken as a whole. */
export async function listOwnCopy(
  folder: string,
): Promise<Pick<BackupManifest, 'folders' | 'files'> & { readonly version: string }> {
  const folders: string[] = [];
  const paths: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (entry.isSymbolicLink()) throw new Error(`${path} is a link: a server with tablespaces is not backed up here`);
    if (entry.isDirectory()) folders.push(path);
    if (entry.isFile()) paths.push(path);
  }
  if (!paths.includes('backup_label')) throw new Error(`${folder} holds no copy that ${PROGRAM} has finished`);
  const files: FileDigest[] = [];
  await forEachConcurrent(paths, LIMITS.backup.filesAtOnce, async (path) => {
    files.push({ path, ...(await computeDigest(join(folder, path))) });
  });
  const version = (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim();
  return { version, folders: folders.sort(), files };
}
