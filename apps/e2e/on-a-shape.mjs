import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startShape } from '@settle/e2e';
import OneAtATime from '../../tools/one-at-a-time.mjs';

/**
 * Runs the e2e specs of a project on one product in the shape that the project names. It starts when their turn comes
 * and is stopped before the next shape's: two at once would only wait for each other. Specs find it by the environment,
 * and run one file after another: they all move the money of the same three people, and each says what their balances
 * are afterwards. With `E2E_BASE_URL` (ending with `/v1`) they use the product that runs there.
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
    if (running !== '') {
      process.env.BASE_URL = running.replace(/\/$/, '');
      return super.runTests(tests, watcher, options);
    }
    const dataDir = await mkdtemp(join(tmpdir(), 'settle-e2e-'));
    const product = await startShape(this.#shape, { dataDir });
    Object.assign(process.env, { BASE_URL: product.baseUrl, E2E_DATA_DIR: dataDir });
    try {
      await super.runTests(tests, watcher, options);
    } finally {
      await product.stop();
      await rm(dataDir, { recursive: true, force: true });
    }
  }
}
