import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Returns a secret of this installation. `create` makes it once; afterwards it comes from `secrets.json` in the data
 * folder, which only its owner can read. One process at a time may use a data folder.
 */
export async function getOrCreateSecret(dataDir: string, name: string, create: () => string): Promise<string> {
  const secrets = await readSecrets(dataDir);
  const existing = secrets[name];
  if (existing !== undefined) return existing;
  const secret = create();
  await writeSecrets(dataDir, { ...secrets, [name]: secret });
  return secret;
}

async function readSecrets(dataDir: string): Promise<Record<string, string>> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new Error(`${join(dataDir, 'secrets.json')} cannot be read`, { cause: error });
  }
}

async function writeSecrets(dataDir: string, secrets: Record<string, string>): Promise<void> {
  const path = join(dataDir, 'secrets.json');
  await mkdir(dataDir, { recursive: true });
  await writeFile(`${path}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
