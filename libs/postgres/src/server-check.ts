import { LIMITS } from '@settle/config';
import pg from 'pg';

const OLDEST_VERSION = 15;

/** Why what was acknowledged might not be on disk with a setting at `off`. */
const MUST_BE_ON = ['fsync', 'full_page_writes', 'synchronous_commit'];

/**
 * Refuses a server that we can't run on. Errors, one clear line each: it can't be reached, it is older than version
 * 15, or it would acknowledge what is not on disk. Never names the URL, which holds a password.
 */
export async function checkServer(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: LIMITS.postgres.connectTimeoutMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw new Error(`The database at ${placeOf(url)} cannot be reached: ${reasonOf(error)}`);
  }
  try {
    const { rows } = await client.query<{ name: string; setting: string }>(
      'select name, setting from pg_settings where name = any($1)',
      [['server_version_num', ...MUST_BE_ON]],
    );
    const problem = serverProblem(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])));
    if (problem !== null) throw new Error(`The database at ${placeOf(url)} ${problem}`);
  } finally {
    await client.end();
  }
}

/** What is wrong with a server of these settings, or null. */
export function serverProblem(settings: Record<string, string>): string | null {
  const version = Math.floor(Number(settings['server_version_num']) / 10_000);
  if (version < OLDEST_VERSION) return `is PostgreSQL ${version}: ${OLDEST_VERSION} or newer is needed`;
  const off = MUST_BE_ON.find((name) => settings[name] === 'off');
  return off === undefined ? null : `runs with ${off}=off: money needs ${off}=on`;
}

function placeOf(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port === '' ? '5432' : port}`;
}

function reasonOf(error: unknown): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: Error[] };
  return message || errors?.[0]?.message || code || 'no reason given';
}
