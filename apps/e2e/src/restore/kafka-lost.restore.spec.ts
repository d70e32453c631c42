import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { eventually, programEnvironment } from '@settle/testing';
import { stackStatus } from '../running-stack.fixture.js';
import { Drill, loadDemoUsers } from './drill.fixture.js';
import { KeyedPayments } from './keyed-payments.fixture.js';
import { readEpochs } from './public-epochs.fixture.js';

const MAIN = fileURLToPath(new URL('../../../stack/dist/main.js', import.meta.url));
const DRILL_TIMEOUT_MS = 300_000;
/** Processes notice the loss, end and start again. */
const RECOVERY_WAIT_MS = 120_000;

describe('the loss of Kafka with all of its data', () => {
  let drill: Drill;
  beforeAll(async () => {
    drill = await Drill.begin('stack');
  }, DRILL_TIMEOUT_MS);
  afterAll(() => drill.end(), DRILL_TIMEOUT_MS);

  async function stack(...words: readonly string[]): Promise<void> {
    const env = { ...programEnvironment(), DATA_DIR: drill.dataDir };
    await promisify(execFile)(process.execPath, [MAIN, ...words], { env });
  }

  it(
    'given payments in flight, when the broker starts with an empty disk, then services go on, no payment is lost or doubled and the topic is filled under a new epoch',
    async () => {
      const { alice, bob } = await loadDemoUsers();
      const payments = new KeyedPayments(alice, bob);
      await payments.begin();
      await stack('scale', 'payments', '2');
      await payments.payUntil(() => payments.count(200) >= 100);

      let isBack = false;
      const paying = payments.payUntil(() => isBack);
      await stack('kafka', 'stop');
      await rm(join(drill.dataDir, 'kafka', 'data'), { recursive: true });
      await stack('kafka', 'start');
      const acknowledged = payments.count(200);
      await eventually(() => expect(payments.count(200)).toBeGreaterThan(acknowledged + 20), {
        timeoutMs: RECOVERY_WAIT_MS,
      });
      isBack = true;
      await paying;

      await eventually(async () => expect(await drill.verify()).toMatch(/^topic: in order$/m), {
        timeoutMs: RECOVERY_WAIT_MS,
      });
      expect(await payments.paidCents()).toBeLessThanOrEqual(payments.count(200) + payments.unknown);
      await payments.repeatAll();
      await eventually(async () => {
        const { kafka, instances } = await stackStatus();
        expect(instances.every(({ isReady }) => isReady)).toBe(true);
        const epochs = await readEpochs(kafka.brokers);
        expect(epochs.size).toBe(1);
        expect(Math.min(...epochs)).toBeGreaterThanOrEqual(2);
      });
      expect(await drill.verify()).toMatch(/^wallets: in order$/m);
    },
    DRILL_TIMEOUT_MS,
  );
});
