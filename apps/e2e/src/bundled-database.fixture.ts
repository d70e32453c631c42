import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns a secret that a product keeps in its data folder. */
export async function readSecret(dataDir: string, name: string): Promise<string> {
  const secrets = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>;
  return secrets[name] ?? '';
}

/**
 * Returns the URL of a database on the bundled PostgreSQL of a data folder, which must be running.
 * @param role of the connection, with the password that the product has made; by default the superuser
 */
export async function bundledDatabaseUrl(dataDir: string, database: string, role = 'postgres'): Promise<string> {
  const port = (await readFile(join(dataDir, 'postgres', 'settle.port'), 'utf8')).trim();
  const password = await readSecret(dataDir, role === 'postgres' ? 'superuser' : role);
  return `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`;
}
