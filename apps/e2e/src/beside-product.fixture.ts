import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { stackStatus } from './running-stack.fixture.js';

const BESIDE = fileURLToPath(new URL('../../../tools/beside-payments.mjs', import.meta.url));

/** What a command of the operator's says beside the product under test. Rejects with all of it when it ends with another code than 0. */
export async function beside(...args: readonly string[]): Promise<string> {
  const isStack = process.env.E2E_SHAPE !== 'embedded';
  const { PATH, E2E_DATA_DIR: DATA_DIR } = process.env;
  const kafka = isStack ? { KAFKA_BROKERS: (await stackStatus()).kafka.brokers.join() } : {};
  const env = { PATH, DATA_DIR, ...kafka };
  const running = promisify(execFile)(process.execPath, [BESIDE, ...args], { env });
  const { stdout } = await running.catch(({ message, stdout: said }: Error & { stdout: string }) => {
    throw new Error(`${message}${said}`);
  });
  return stdout;
}
