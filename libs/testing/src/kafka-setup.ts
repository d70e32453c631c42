import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startKafka, type RunningKafka } from '@settle/local-kafka';

declare global {
  var settleTestKafka: { kafka: RunningKafka; folder: string } | undefined;
}

/** A script that waits for the end of its input, which comes with any end of the test run. */
const TIDY_UP = `
  const [pid, folder] = process.argv.slice(1);
  process.stdin.resume().on('end', () => {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {}
    setTimeout(() => require('node:fs').rmSync(folder, { recursive: true, force: true }), 1000);
  });`;

/**
 * Starts one Kafka for all kafka specs of a run; they find it by the environment. `SETTLE_TEST_KAFKA_VERSION` names another
 * version than the usual one.
 */
export default async function startKafkaForSpecs(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'settle-kafka-'));
  const kafka = await startKafka({ dataDir: folder, port: null }, process.env['SETTLE_TEST_KAFKA_VERSION']);
  leaveNothingBehind(kafka.pid, folder);
  globalThis.settleTestKafka = { kafka, folder };
  process.env['SETTLE_TEST_KAFKA'] = kafka.brokers.join(',');
}

/** Cleans up after a killed test run, which skips its teardown while the broker outlives its parent process. */
function leaveNothingBehind(pid: number, folder: string): void {
  const child = spawn(process.execPath, ['--eval', TIDY_UP, String(pid), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  child.unref();
  (child.stdin as Socket).unref();
}
