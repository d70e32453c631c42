import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { connectJars } from '@settle/local-kafka';

const ERRORS_ONLY = '-Dorg.slf4j.simpleLogger.defaultLogLevel=error';

/** A running Kafka Connect. */
export interface ConnectWorker {
  kill(): Promise<void>;
}

/**
 * Starts a standalone worker of Kafka Connect, with Kafka's own connectors and transforms.
 * @param files properties of the worker, then those of its connectors
 */
export async function startConnectWorker(files: readonly string[]): Promise<ConnectWorker> {
  const { folder } = await connectJars();
  const jvm = ['-Xmx192m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', ERRORS_ONLY, '-cp', join(folder, '*')];
  const args = [...jvm, 'org.apache.kafka.connect.cli.ConnectStandalone', ...files];
  const child = spawn('java', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'close');
  return {
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
