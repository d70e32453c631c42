import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { eventually, programEnvironment } from '@settle/testing';
import pg from 'pg';
import { observe } from '../existing-data/scenario.mjs';
import { bundledDatabaseUrl } from './bundled-database.fixture.js';
import { call } from './client.js';
import type { Product } from './product.js';
import { startShape, type Shape } from './shapes.js';
import type { WireCreated, WirePayment } from './wire.js';

const FOLDER = fileURLToPath(new URL('../existing-data/', import.meta.url));
const LEDGER = fileURLToPath(new URL('../../../tools/beside-payments.mjs', import.meta.url));
/** PostgreSQL does not run as root. It then runs as an unprivileged user, who must own its files. */
const SERVER_OF_ROOT = '65534:65534';
const START_TIMEOUT_MS = 180_000;
const ANNOUNCED_WAIT_MS = 20_000;
const VERIFY_TIMEOUT_MS = 60_000;
/** The start adds no token, and pending payments never expire, however old the folder gets. */
const AS_IT_WAS = { DEMO: 'false', DEV_TOOLS: 'true', PAYMENT_EXPIRY_DAYS: '3650' };

/** The file that `existing-data/make.mjs` wrote beside a data folder. */
interface Expected {
  readonly tokens: Readonly<Record<'alice' | 'bob' | 'carol', string>>;
  readonly ids: Readonly<Record<'alice' | 'bob' | 'carol', string>>;
  readonly keyed: { readonly key: string; readonly form: Readonly<Record<string, string>> };
  readonly pending: { readonly toEmail: string; readonly request: string };
  readonly seen: object;
  readonly tables: readonly {
    readonly database: string;
    readonly table: string;
    readonly query: string;
    readonly count: number;
    readonly digest: string | null;
  }[];
}

/** Returns the names of the data folders that earlier code made in this shape. */
function foldersOf(shape: Shape): readonly string[] {
  const ending = `-${shape}.json`;
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -'.json'.length));
}

function unpack(name: string): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'settle-existing-'));
  const input = brotliDecompressSync(readFileSync(join(FOLDER, `${name}.tar.br`)));
  const { status, stderr } = spawnSync('tar', ['-C', dataDir, '--no-same-owner', '-xpf', '-'], { input });
  if (status !== 0) throw new Error(`${name} was not unpacked: ${stderr.toString()}`);
  if (process.getuid?.() === 0) spawnSync('chown', ['-R', SERVER_OF_ROOT, join(dataDir, 'postgres')]);
  return dataDir;
}

async function rowsOf(dataDir: string, { database, query }: Expected['tables'][number]): Promise<unknown> {
  const client = new pg.Client(await bundledDatabaseUrl(dataDir, database));
  await client.connect();
  try {
    return (await client.query<object>(query)).rows[0];
  } finally {
    await client.end();
  }
}

function verifyLedger(dataDir: string): Promise<{ readonly code: number; readonly output: string }> {
  const env = { ...programEnvironment(), DATA_DIR: dataDir };
  return new Promise((resolve) => {
    execFile(process.execPath, [LEDGER, 'ledger', 'verify'], { env, timeout: VERIFY_TIMEOUT_MS }, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: out + err }),
    );
  });
}

const balanceOf = async (token: string) => (await call<{ balance: number }>('/me', { token })).body.data.balance;

const act = async (id: string, token: string, action: string) =>
  (await call<WirePayment>(`/payments/${id}`, { method: 'PUT', token, form: { action } })).body;

/** Pays more than the balance, and waits until it is settled. */
async function payFromCard(token: string, userId: string): Promise<void> {
  const form = { user_id: userId, amount: '120.00', note: 'From the card again' };
  const { body } = await call<WireCreated>('/payments', { method: 'POST', token, form });
  await eventually(async () => {
    const { data } = (await call<WirePayment>(`/payments/${body.data.payment.id}`, { token })).body;
    expect(data.status).toBe('settled');
  });
}

/**
 * Describes the specs that start today's code, in a shape, on each data folder of earlier code.
 * @param madeIn the shape that it made them in
 */
export function describeExistingData(shape: Shape, madeIn: Shape = shape): void {
  describe.each(foldersOf(madeIn))(`the data folder %s, made by earlier code and started as ${shape}`, (name) => {
    const expected = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8')) as Expected;
    const { alice, bob, carol } = expected.tokens;
    const sharedUrl = process.env.BASE_URL;
    let dataDir: string;
    let product: Product;

    beforeAll(async () => {
      dataDir = unpack(name);
      product = await startShape(shape, { dataDir, env: AS_IT_WAS });
      process.env.BASE_URL = product.baseUrl;
    }, START_TIMEOUT_MS);
    afterAll(async () => {
      await product.stop();
      process.env.BASE_URL = sharedUrl;
      rmSync(dataDir, { recursive: true, force: true });
    }, START_TIMEOUT_MS);

    it('given its tokens, when each user reads, then profile, balance, friends and payments are unchanged', async () => {
      const read = () => observe(new URL(product.baseUrl).origin, expected.tokens);
      // Links to pictures contain the public address, which is published again after the start.
      await eventually(async () => expect(await read()).toMatchObject(expected.seen), { timeoutMs: ANNOUNCED_WAIT_MS });
    });

    it('given its rows, when they are compared, then none is lost, duplicated or changed', async () => {
      for (const table of expected.tables) {
        const { database, count, digest } = table;
        const found = await rowsOf(dataDir, table);
        expect([database, table.table, found]).toEqual([database, table.table, { count, digest }]);
      }
    });

    it('given a request under an idempotency key, when it is repeated, then its first response is returned', async () => {
      const { key, form } = expected.keyed;
      const before = await balanceOf(alice);
      const headers = { 'idempotency-key': key };
      const response = await call('/payments', { method: 'POST', token: alice, form, headers });
      expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
      expect(await balanceOf(alice)).toBe(before);
    });

    it('given its pending payments, when they are cancelled and approved, then the money moves', async () => {
      const { toEmail, request } = expected.pending;
      const before = await balanceOf(alice);
      expect((await act(toEmail, alice, 'cancel')).data.status).toBe('cancelled');
      expect(await balanceOf(alice)).toBeCloseTo(before + 1.5);
      const form = { user_id: expected.ids.carol, amount: '2.00', note: 'For what alice asks' };
      expect((await call('/payments', { method: 'POST', token: bob, form })).status).toBe(200);
      expect((await act(request, carol, 'approve')).data.status).toBe('settled');
      expect(await balanceOf(alice)).toBeCloseTo(before + 3.5);
    });

    it('given a card on file, when a payment exceeds the balance, then the card still pays all of it', async () => {
      const before = await balanceOf(alice);
      await payFromCard(alice, expected.ids.bob);
      expect(await balanceOf(alice)).toBe(before);
    });

    it(
      'given the ledger after these requests, when it is verified, then it is consistent',
      async () => {
        expect(await verifyLedger(dataDir)).toMatchObject({ code: 0 });
      },
      VERIFY_TIMEOUT_MS,
    );
  });
}
