import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

declare global {
  /** What the setup started, for the teardown to stop; jest runs both in one process. */
  var settleUnderTest: { readonly product: Product; readonly dataDir: string } | undefined;
}

const MAIN = fileURLToPath(new URL('../../all-in-one/dist/main.js', import.meta.url));
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;

export interface Product {
  /** Ends with `/v1`. */
  readonly baseUrl: string;
  /** Asks it to stop and waits; kills it after 20 s. */
  stop(): Promise<void>;
  /** Kills the Node process alone, as a power cut would; its database server is left an orphan. */
  kill(): Promise<void>;
}

export interface ProductOptions {
  readonly dataDir: string;
  /** The same port at every start keeps addresses the same; null draws a free one. */
  readonly port: number | null;
  /** Settings beside those that every product under test gets. */
  readonly env?: Readonly<Record<string, string>>;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}

/** Resolves with the address of its `Ready:` line; rejects with what it printed when it ends or stays silent. */
function untilReady(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    const fail = (why: string) => reject(new Error(`The product ${why}:\n${printed}`));
    const timer = setTimeout(() => fail(`was not ready in ${START_TIMEOUT_MS} ms`), START_TIMEOUT_MS);
    const read = (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-20_000);
      const ready = /^Ready: (\S+)/m.exec(printed);
      if (ready?.[1] === undefined) return;
      clearTimeout(timer);
      resolve(ready[1]);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      fail(`ended (code ${code}, signal ${signal})`);
    });
  });
}

async function ended(child: ChildProcess, timeoutMs: number): Promise<boolean> {
  if (child.exitCode !== null || child.signalCode !== null) return true;
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), timeoutMs);
    child.once('exit', () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

/** Starts the built product as its users do, on loopback, with the demo data, and waits until it is ready. */
export async function startProduct({ dataDir, port, env = {} }: ProductOptions): Promise<Product> {
  if (!existsSync(MAIN)) throw new Error('The product is not built: run `npm run build` first.');
  const listens = port ?? (await freePort());
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      NODE_ENV: 'development',
      NODE_OPTIONS: '',
      PORT: String(listens),
      PUBLIC_URL: `http://127.0.0.1:${listens}`,
      DATA_DIR: dataDir,
      DEMO: 'true',
      LOG_LEVEL: 'error',
      RATE_LIMITS: 'off',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const url = await untilReady(child);
  return {
    baseUrl: `${new URL(url).origin}/v1`,
    async stop() {
      child.kill('SIGTERM');
      if (!(await ended(child, STOP_TIMEOUT_MS))) child.kill('SIGKILL');
    },
    async kill() {
      child.kill('SIGKILL');
      await ended(child, STOP_TIMEOUT_MS);
    },
  };
}

/**
 * Starts one product for all e2e specs and hands its address over as `BASE_URL`. With `E2E_BASE_URL` (ending with
 * `/v1`) the specs use the product that runs there, in whatever shape. Jest loads this file by itself, so it imports
 * no other file of this project.
 */
export default async function setUp(): Promise<void> {
  const running = process.env.E2E_BASE_URL ?? '';
  if (running !== '') {
    process.env.BASE_URL = running.replace(/\/$/, '');
    return;
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'settle-e2e-'));
  const product = await startProduct({ dataDir, port: null });
  process.env.BASE_URL = product.baseUrl;
  globalThis.settleUnderTest = { product, dataDir };
}
