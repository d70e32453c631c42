import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

declare global {
  var settleProduct: { child: ChildProcess; folder: string } | undefined;
}

const READY_TIMEOUT_MS = 60_000;

/** Starts the built product on an empty data folder and a free port; specs find it by `SETTLE_E2E_URL`. */
export default async function startProduct(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'settle-e2e-'));
  const env = { ...process.env, PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'warn', RATE_LIMITS: 'off', PUBLIC_URL: '' };
  const child = spawn(process.execPath, ['apps/all-in-one/dist/main.js'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  globalThis.settleProduct = { child, folder };
  process.env['SETTLE_E2E_URL'] = await readyUrl(child);
}

function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('The product was not ready in time')), READY_TIMEOUT_MS);
    child.once('exit', (code) => reject(new Error(`The product ended with code ${code} before it was ready`)));
    createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => {
      const url = /^Ready: (http\S+)/.exec(line)?.[1];
      if (url === undefined) return;
      clearTimeout(late);
      resolve(url);
    });
  });
}
