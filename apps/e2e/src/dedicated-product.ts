import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Product } from './product.js';
import { type Shape, startShape } from './shapes.js';

/** A product for one spec file, in the shape of the run, on its own data folder. `BASE_URL` and `E2E_DATA_DIR` name it until it is closed. */
export interface DedicatedProduct {
  /** Starts the product, or starts it again on the same folder and port. */
  start(): Promise<void>;
  kill(): Promise<void>;
  /** Stops the product, removes the folder and restores the environment. */
  close(): Promise<void>;
}

/**
 * @param env settings in addition to those of every product under test
 * @param ownPort null for a free one; a reserved one if another process must know the address before the start
 */
export function prepareDedicatedProduct(
  env: Readonly<Record<string, string>> = {},
  ownPort: number | null = null,
): DedicatedProduct {
  const { BASE_URL, E2E_DATA_DIR } = process.env;
  const dataDir = mkdtempSync(join(tmpdir(), 'settle-own-'));
  let product: Product | null = null;
  return {
    async start() {
      const port = product === null ? ownPort : Number(new URL(product.baseUrl).port);
      product = await startShape(process.env.E2E_SHAPE as Shape, { dataDir, port, env });
      Object.assign(process.env, { BASE_URL: product.baseUrl, E2E_DATA_DIR: dataDir });
    },
    async kill() {
      await product?.kill();
    },
    async close() {
      await product?.stop();
      for (const [name, value] of Object.entries({ BASE_URL, E2E_DATA_DIR })) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
