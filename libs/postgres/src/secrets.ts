import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * A secret of this installation: made once by `create`, then the same at every start. Kept in `secrets.json` of the
 * data folder, which only its owner can read. One process at a time may use a data folder.
 */
export async function keepSecret(dataDir: string, name: string, create: () => string): Promise<string> {
  const secrets = await readSecrets(dataDir);
  const kept = secrets[name];
  if (kept !== undefined) return kept;
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
  const place = join(dataDir, 'secrets.json');
  await mkdir(dataDir, { recursive: true });
  await writeFile(`${place}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  await rename(`${place}.new`, place);
}
