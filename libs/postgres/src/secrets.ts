import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns a secret of this installation. `create` makes it once; afterwards it comes from `secrets.json` in the data
 * folder, which only its owner can read. One process at a time may use a data folder.
 */
export async function getOrCreateSecret(dataDir: string, name: string, create: () => string): Promise<string> {
  const path = join(dataDir, 'secrets.json');
  const secrets = await readSecrets(path);
  const existing = secrets[name];
  if (existing !== undefined) return existing;
  const secret = create();
  await mkdir(dataDir, { recursive: true });
  await writeFile(`${path}.new`, `${JSON.stringify({ ...secrets, [name]: secret }, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
  return secret;
}

async function readSecrets(path: string): Promise<Record<string, string>> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${path} cannot be read`, { cause: error });
  }
}
