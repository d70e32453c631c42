import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '@settle/local-kafka';
import { prepareReferenceProvider } from '@settle/launching';
import { migrateSchema } from '@settle/postgres';
import { PROVIDER_SCHEMA } from '../../apps/reference-provider/dist/index.js';

const MAIN = fileURLToPath(new URL('../../apps/reference-provider/dist/main.js', import.meta.url));
const READY_TIMEOUT_MS = 20_000;

/** Resolves once the provider answers; throws if it does not in time. */
async function untilAnswering(url) {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const isUp = await fetch(`${url}/assets/provider.css`).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    if (Date.now() > deadline) throw new Error('The reference provider was not ready in time.');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/**
 * Starts the reference provider as a process, with its books on this server. `hang()` halts it: the system still accepts
 * connections for it, and no request is answered until `resume()`.
 * @param productUrl where callbacks go
 */
export async function startProvider({ adminUrl, dataDir, productUrl }) {
  const { service, migrations, secretFile } = await prepareReferenceProvider(adminUrl, dataDir);
  await migrateSchema(PROVIDER_SCHEMA, migrations);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env.PATH,
    LOG_LEVEL: 'error',
    DATABASE_URL: service,
    PROVIDER_PORT: String(port),
    PROVIDER_SECRET_FILE: secretFile,
    PROVIDER_CALLBACK_URL: `${productUrl}/provider/callbacks`,
  };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  await untilAnswering(url).catch(async (error) => {
    await stop();
    throw error;
  });
  return {
    url,
    secret: readFileSync(secretFile, 'utf8').trim(),
    hang: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    stop,
  };
}
