import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '@settle/testing';
import { bundledDatabaseUrl } from './bundled-database.fixture.js';
import { call } from './client.js';
import type { Wallet } from './paced-load.fixture.js';

const MAKE_PEOPLE = fileURLToPath(new URL('../../../tools/make-people.mjs', import.meta.url));
const FUNDS = '999.99';
/** Five charges of a user that the provider has not decided are the most that one may have. */
const FUNDED_AT_ONCE = 4;
const KNOWN_WAIT_MS = 20_000;
const PROGRAM_OUTPUT_BYTES = 64 * 1_048_576;

/** Creates users with tokens in a running product, and pays 999.99 into the wallet of each. @param url the public port, without a path */
export async function makeFundedWallets(dataDir: string, url: string, count: number): Promise<readonly Wallet[]> {
  const env = { ...process.env, ADMIN_URL: await bundledDatabaseUrl(dataDir, 'postgres'), PUBLIC_URL: url };
  const options = { env, maxBuffer: PROGRAM_OUTPUT_BYTES };
  const { stdout } = await promisify(execFile)(process.execPath, [MAKE_PEOPLE, String(count)], options);
  const { funderToken, people: users } = JSON.parse(stdout) as { funderToken: string; people: Wallet[] };
  await fund(url, funderToken, users);
  return users;
}

async function fund(url: string, token: string, users: readonly Wallet[]): Promise<void> {
  const left = users.values();
  const payer = async () => {
    for (const { id } of left) {
      await eventually(
        async () => {
          const form = { user_id: id, amount: FUNDS, note: 'Funds' };
          const { status, text } = await call(`${url}/v1/payments`, { method: 'POST', token, form });
          // A user who is not in the replica yet is rejected before any event is stored.
          if (status !== 200) throw new Error(`Funding a wallet failed: ${status} ${text}`);
        },
        { timeoutMs: KNOWN_WAIT_MS },
      );
    }
  };
  await Promise.all(Array.from({ length: FUNDED_AT_ONCE }, payer));
}
