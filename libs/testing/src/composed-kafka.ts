import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startKafka } from '@settle/local-kafka';
import { environmentOf, serviceOf, type Composition } from './composition.js';

export interface ComposedKafka {
  /** The address of the broker as `host:port`. */
  readonly address: string;
  /** Stops the broker, which ends every connection, and starts it on the same data with the settings of another composition. */
  restart(composition: Composition): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the broker of `docker-compose.yml` with its settings there, from jars, on ports of this machine. */
export async function startComposedKafka(composition: Composition): Promise<ComposedKafka> {
  const dataDir = await mkdtemp(join(tmpdir(), 'settle-composed-kafka-'));
  const [port, controllerPort] = [await freePort(), await freePort()];
  const here = (value: string) =>
    value
      .replace('kafka:9092', `127.0.0.1:${port}`)
      .replace('://:9092', `://127.0.0.1:${port}`)
      .replace('localhost:9093', `127.0.0.1:${controllerPort}`);
  const start = (from: Composition) => {
    const settings = Object.entries(environmentOf(serviceOf(from, 'kafka')))
      .filter(([name]) => name.startsWith('KAFKA_') && !['KAFKA_LOG_DIRS', 'KAFKA_HEAP_OPTS'].includes(name))
      .map(([name, value]) => [propertyOf(name), here(value)] as const);
    return startKafka({ dataDir, port, controllerPort, settings: Object.fromEntries(settings) });
  };
  let kafka = await start(composition);
  return {
    address: `127.0.0.1:${port}`,
    async restart(changed) {
      await kafka.stop();
      kafka = await start(changed);
    },
    async stop() {
      await kafka.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Converts a variable to a line of `server.properties` as the image `apache/kafka` does. */
function propertyOf(variable: string): string {
  const separators: Readonly<Record<string, string>> = { _: '.', __: '_', ___: '-' };
  return variable
    .slice('KAFKA_'.length)
    .toLowerCase()
    .replace(/_+/g, (underscores) => separators[underscores] ?? underscores);
}
