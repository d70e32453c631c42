import { readdir, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Names of the server's socket and its lock file, as PostgreSQL makes them. */
export const SOCKET_FILE = /^\.s\.PGSQL\./;

/** As long as the longest name that PostgreSQL gives a socket. */
const PROBE = '.s.PGSQL.probe';

/**
 * Removes the sockets of earlier runs and returns whether the folder of a cluster can have one: Windows, some shared
 * folders and paths of more than about a hundred characters cannot. No server may run on the cluster.
 */
export async function prepareSocket(folder: string): Promise<boolean> {
  const left = (await readdir(folder)).filter((name) => SOCKET_FILE.test(name));
  // The process id in a lock file may belong to another program by now, and the server would not start.
  for (const name of left) await rm(join(folder, name), { force: true });
  if (process.platform === 'win32') return false;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(join(folder, PROBE), () => probe.close(() => resolve(true)));
  });
}

/**
 * Returns the URL, without an account, of a server that runs on a cluster: over its socket, which costs a third less CPU
 * than TCP, if it has one. The address and the port stay in it for messages.
 */
export async function buildServerUrl(folder: string, port: number): Promise<string> {
  const hasSocket = await stat(join(folder, `.s.PGSQL.${port}`)).then(
    () => true,
    () => false,
  );
  // Not by `URLSearchParams`: the server's own programs do not read a plus sign as a space.
  return `postgresql://127.0.0.1:${port}/${hasSocket ? `?host=${encodeURIComponent(folder)}` : ''}`;
}
