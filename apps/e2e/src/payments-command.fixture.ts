import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { programEnvironment } from '@settle/testing';
import { stackStatus } from './running-stack.fixture.js';

const BESIDE_PROGRAM = fileURLToPath(new URL('../../../tools/beside-payments.mjs', import.meta.url));

/** Runs an operator command of payments-service beside the product under test and returns its output. Rejects with the output on another exit code than 0. */
export function runPaymentsCommand(...args: readonly string[]): Promise<string> {
  return runPaymentsCommandWith({}, ...args);
}

/** Does the same with settings in addition, such as those of the payment provider. */
export async function runPaymentsCommandWith(
  more: Readonly<Record<string, string>>,
  ...args: readonly string[]
): Promise<string> {
  const isStack = process.env.E2E_SHAPE !== 'embedded';
  const { E2E_DATA_DIR: DATA_DIR } = process.env;
  const kafka = isStack ? { KAFKA_BROKERS: (await stackStatus()).kafka.brokers.join() } : {};
  const env = { ...programEnvironment(), DATA_DIR, ...kafka, ...more };
  const running = promisify(execFile)(process.execPath, [BESIDE_PROGRAM, ...args], { env });
  const { stdout } = await running.catch(({ message, stdout: said }: Error & { stdout: string }) => {
    throw new Error(`${message}${said}`);
  });
  return stdout;
}
