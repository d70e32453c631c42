import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createMessageSecret, signMessage } from '@settle/provider-api';
import { freshDatabase, programEnvironment } from '@settle/testing';
import { ProviderClient } from '../../src/provider/provider-client.js';
import { Clock } from '../../src/storage/clock.js';
import { LAB_LOGGER } from '../ledger-lab/ledger-lab.fixture.js';
import { startProviderProcess } from '../public-events/payments-process.fixture.js';

const MIGRATE = fileURLToPath(new URL('../../../reference-provider/dist/migrate.js', import.meta.url));

export type RunningReferenceProvider = Awaited<ReturnType<typeof startReferenceProvider>>;

/** Starts the reference provider as a process on a database of its own, with a client as payments-service has it. */
export async function startReferenceProvider() {
  const database = await freshDatabase();
  const env = { ...programEnvironment(), MIGRATIONS_DATABASE_URL: await database.separateMigrations() };
  await promisify(execFile)(process.execPath, [MIGRATE], { env });
  const folder = await mkdtemp(join(tmpdir(), 'provider-'));
  const [secret, file] = [createMessageSecret(), join(folder, 'secret')];
  await writeFile(file, secret);
  const child = startProviderProcess({ DATABASE_URL: database.url, PROVIDER_PORT: '0', PROVIDER_SECRET_FILE: file });
  await child.says('"msg":"ready"');
  const line = child.lines.find((each) => each.includes('"msg":"ready"')) ?? '{}';
  const { url } = JSON.parse(line) as { url: string };
  const client = new ProviderClient({
    provider: { url, secret },
    pageOrigins: [url],
    clock: new Clock(),
    logger: LAB_LOGGER,
  });
  return {
    client,
    /** Returns the statement of a period as the provider writes it; times in ms since 1970. */
    async statement(fromMs: number, toMs: number): Promise<string> {
      const query = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`;
      const message = { id: randomUUID(), timestampSeconds: Math.floor(Date.now() / 1_000), body: '' };
      const response = await fetch(`${url}/statements?${query}`, { headers: { ...signMessage(message, [secret]) } });
      return response.text();
    },
    async close(): Promise<void> {
      await client.close();
      await child.kill();
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}
