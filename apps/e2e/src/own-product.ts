import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Product } from './product.js';
import { type Shape, startShape } from './shapes.js';

/** A product for one spec file alone, in the shape of the others, on a data folder of its own. While it is open, `BASE_URL` and `E2E_DATA_DIR` are its own. */
export interface OwnProduct {
  /** Starts it, or starts it again on the same folder and port. */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Stops it, removes the folder and gives the environment back. */
  close(): Promise<void>;
}

/** @param env settings beside those that every product under test gets */
export function ownProduct(env: Readonly<Record<string, string>> = {}): OwnProduct {
  const { BASE_URL: sharedUrl, E2E_DATA_DIR: sharedDataDir } = process.env;
  const dataDir = mkdtempSync(join(tmpdir(), 'settle-own-'));
  let product: Product | null = null;
  return {
    async start() {
      const port = product === null ? null : Number(new URL(product.baseUrl).port);
      product = await startShape(process.env.E2E_SHAPE as Shape, { dataDir, port, env });
      Object.assign(process.env, { BASE_URL: product.baseUrl, E2E_DATA_DIR: dataDir });
    },
    async kill() {
      await product?.kill();
    },
    async close() {
      await product?.stop();
      process.env.BASE_URL = sharedUrl;
      if (sharedDataDir === undefined) delete process.env.E2E_DATA_DIR;
      else process.env.E2E_DATA_DIR = sharedDataDir;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
