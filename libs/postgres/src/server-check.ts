import { withClient } from './with-client.js';

const OLDEST_VERSION = 15;

/** Settings without which an acknowledged commit might not be on disk. */
const MUST_BE_ON = ['fsync', 'full_page_writes', 'synchronous_commit'];

/**
 * Checks that the server is usable. Errors, one line each: it cannot be reached, it is older than version 15, or it may
 * acknowledge commits that are not on disk. No message contains the URL, which holds a password.
 */
export async function checkServer(url: string): Promise<void> {
  const { rows } = await withClient({ connectionString: url }, (client) =>
    client.query<{ name: string; setting: string }>('select name, setting from pg_settings where name = any($1)', [
      ['server_version_num', ...MUST_BE_ON],
    ]),
  ).catch((error: unknown) => {
    throw new Error(`The database at ${formatHost(url)} cannot be reached: ${getReason(error)}`);
  });
  const problem = findServerProblem(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])));
  if (problem !== null) throw new Error(`The database at ${formatHost(url)} ${problem}`);
}

/** Returns why a server with these settings is not usable; null if it is. */
export function findServerProblem(settings: Record<string, string>): string | null {
  const version = Math.floor(Number(settings['server_version_num']) / 10_000);
  if (version < OLDEST_VERSION) return `is PostgreSQL ${version}: ${OLDEST_VERSION} or newer is needed`;
  const off = MUST_BE_ON.find((name) => settings[name] === 'off');
  return off === undefined ? null : `runs with ${off}=off: set ${off}=on so that committed payments are durable`;
}

function formatHost(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? '5432' : port}`;
}

function getReason(error: unknown): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: Error[] };
  return message || errors?.[0]?.message || code || 'no reason reported';
}
