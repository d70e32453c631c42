import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startShape } from '@settle/e2e';
import OneAtATime from '../../tools/one-at-a-time.mjs';

/** Whether the spec starts a product for itself alone. */
const isDedicated = ({ path }) => readFileSync(path, 'utf8').includes('prepareDedicatedProduct(');

/**
 * Runs the e2e specs of a project on one product in the shape that the project names. Specs find it by the environment and
 * run one file after another: all of them move the money of the same three users and check their balances afterwards.
 * Specs that start a product of their own come first, before the shared one starts, because two at once would only slow
 * each other down. With `E2E_BASE_URL` (ending with `/v1`) the others use the product that runs there.
 */
export default class OnAShape extends OneAtATime {
  #shape;

  constructor(globalConfig, context, { shape }) {
    super(globalConfig, context);
    this.#shape = shape;
  }

  async runTests(tests, watcher, options) {
    const running = process.env.E2E_BASE_URL ?? '';
    process.env.E2E_SHAPE = this.#shape;
    const [dedicated = [], shared = []] = [true, false].map((is) => tests.filter((test) => isDedicated(test) === is));
    if (dedicated.length > 0) await super.runTests(dedicated, watcher, options);
    if (shared.length === 0) return;
    if (running !== '') {
      process.env.BASE_URL = running.replace(/\/$/, '');
      return super.runTests(shared, watcher, options);
    }
    const dataDir = await mkdtemp(join(tmpdir(), 'settle-e2e-'));
    const product = await startShape(this.#shape, { dataDir });
    Object.assign(process.env, { BASE_URL: product.baseUrl, E2E_DATA_DIR: dataDir });
    try {
      await super.runTests(shared, watcher, options);
    } finally {
      await product.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  }
}
