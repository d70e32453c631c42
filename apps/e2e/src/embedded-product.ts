import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Product, ProductOptions } from './product.js';

const MAIN = fileURLToPath(new URL('../../all-in-one/dist/main.js', import.meta.url));
/** A process that loads this module stops when its parent process has ended, because a killed test run skips its teardown. */
const END_WITH_PARENT = new URL('../../stack/dist/end-with-parent.js', import.meta.url).href;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 20_000;

/** Resolves with the address of the `Ready:` line. Rejects with the output when the process ends or the line does not come. */
function waitUntilReady(child: ChildProcess): Promise<string> {
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

/** Starts the built product as `npm start` does, and waits until it is ready. */
export async function startEmbedded({ dataDir, port, env }: ProductOptions): Promise<Product> {
  if (!existsSync(MAIN)) throw new Error('The product is not built: run `npm run build` first.');
  const child = spawn(process.execPath, ['--import', END_WITH_PARENT, MAIN], {
    env: { ...process.env, NODE_OPTIONS: '', PORT: String(port), DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const url = await waitUntilReady(child);
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
