import { spawn } from 'node:child_process';
import { chmod, mkdtemp, statfs } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@settle/postgres';

declare global {
  var settleTestServer: { server: EmbeddedPostgres; folder: string } | undefined;
}

/** Memory as a folder, which Linux has. */
const MEMORY = '/dev/shm';
/** Many times what the databases of a run take at once. */
const MEMORY_BYTES = 6 * 2 ** 30;

/** A script that waits for the end of its input, which comes with any end of the test run. */
const TIDY_UP = `
  const { readFileSync, rmSync } = require('node:fs');
  const [folder] = process.argv.slice(1);
  process.stdin.resume().on('end', () => {
    try {
      process.kill(Number(readFileSync(folder + '/postgres/postmaster.pid', 'utf8').split('\\n')[0]), 'SIGQUIT');
    } catch {}
    setTimeout(() => rmSync(folder, { recursive: true, force: true }), 1000);
  });`;

/**
 * Starts one PostgreSQL for all int specs of a run; `freshDatabase` finds it by the environment. `SETTLE_TEST_POSTGRES` names
 * the folder of a package with the programs of another version than the bundled one.
 */
export default async function startServerForSpecs(): Promise<void> {
  const folder = await mkdtemp(join(await placeForServer(), 'settle-int-'));
  leaveNothingBehind(folder);
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  // The programs of PostgreSQL 15 leave their working directory to resolve links, and must be able to return to it.
  await chmod(folder, 0o711);
  const packageFolder = process.env['SETTLE_TEST_POSTGRES'];
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    logger: silent,
    ...(packageFolder === undefined ? {} : { packageFolder }),
  });
  globalThis.settleTestServer = { server, folder };
  process.env['SETTLE_TEST_ADMIN_URL'] = server.adminUrl;
}

/**
 * Returns the folder of memory if there is plenty, or else that of temporary files. Specs make and drop hundreds of databases,
 * and at each drop PostgreSQL writes 300 files to the disk.
 */
async function placeForServer(): Promise<string> {
  const memory = await statfs(MEMORY).catch(() => null);
  return memory !== null && memory.bavail * memory.bsize >= MEMORY_BYTES ? MEMORY : tmpdir();
}

/** Cleans up after a killed test run, which skips its teardown while the server outlives its parent process. */
function leaveNothingBehind(folder: string): void {
  const child = spawn(process.execPath, ['--eval', TIDY_UP, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.unref();
  (child.stdin as Socket).unref();
}
