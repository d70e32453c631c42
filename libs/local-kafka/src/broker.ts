import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { BROKER_JVM, java, QUICK_START } from './java.js';
import { stopOrphanedBroker, kafkaFolder, recordBroker, settingsFile } from './orphan.js';
import { serverProperties } from './server-properties.js';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const LOOK_EVERY_MS = 25;
/** Any 22 characters of base64url do; one node needs no other cluster to tell itself apart from. */
const CLUSTER_ID = 'U2V0dGxlIHNwZWMga2Fma2';

export interface KafkaOptions {
  /** The log lives in its subfolder `kafka`. One broker at a time may use it. */
  readonly dataDir: string;
  /** Null takes a free one. */
  readonly port: number | null;
  /** The same at every start of one folder is quickest; a free one unless given. */
  readonly controllerPort?: number;
  /** It compiles itself as far as it can: busier for its first ten seconds, quicker ever after. For measurements. */
  readonly isForLong?: boolean;
  /** Lines of `server.properties` that replace the usual ones or stand beside them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Further arguments of the formatting of a new folder, such as `--add-scram`. */
  readonly formatWith?: readonly string[];
}

export interface RunningKafka {
  /** Such as `127.0.0.1:29092`. */
  readonly brokers: string[];
  readonly pid: number;
  /** Resolves once the process has ended, however, with its exit code or signal. */
  readonly ended: Promise<string>;
  /** Asks it to stop and waits; kills it after 10 s. */
  stop(): Promise<void>;
  /** Kills it as a power cut would. */
  kill(): Promise<void>;
}

/**
 * Starts the broker of these jars, and resolves once it listens; `flags` are further ones for its JVM.
 * What a killed process left running on the folder is ended first. Errors: one clear line, with what it said last.
 */
export async function runBroker(
  jars: string,
  { dataDir, port, controllerPort, isForLong, settings: more = {}, formatWith = [] }: KafkaOptions,
  flags: readonly string[],
): Promise<RunningKafka> {
  const folder = kafkaFolder(dataDir);
  await mkdir(folder, { recursive: true });
  await stopOrphanedBroker(dataDir);
  const settings = settingsFile(dataDir);
  const listens = port ?? (await freePort());
  const place = { data: join(folder, 'data'), port: listens, controllerPort: controllerPort ?? (await freePort()) };
  await writeFile(settings, serverProperties(place, more));
  const isFormatted = existsSync(join(place.data, 'meta.properties'));
  const format = ['kafka.tools.StorageTool', 'format', '-t', CLUSTER_ID, '-c', settings, ...formatWith];
  if (!isFormatted) await java(jars, format);
  const jvm = [...BROKER_JVM, ...(isForLong ? [] : QUICK_START), ...flags];
  const child = spawn('java', [...jvm, '-cp', join(jars, '*'), 'kafka.Kafka', settings], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: a terminal sends Ctrl-C to whole groups, and the broker is to be the last to stop.
    detached: true,
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? code));
  void ended.then(() => process.off('exit', killWithUs));
  await recordBroker(folder, child.pid ?? 0);
  await untilItListens(child, listens);
  return {
    brokers: [`127.0.0.1:${listens}`],
    pid: child.pid ?? 0,
    ended,
    stop: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
  };
}

async function untilItListens(child: ChildProcess, port: number): Promise<void> {
  let said = '';
  const keep = (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4_000));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await accepts(port))) {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (!hasEnded && performance.now() < deadline) {
      await new Promise((look) => setTimeout(look, LOOK_EVERY_MS));
      continue;
    }
    child.kill('SIGKILL');
    throw new Error(`Kafka ${hasEnded ? 'ended' : `was not there in ${START_TIMEOUT_MS} ms`}: ${said.trim()}`);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (isThere: boolean) => () => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', answer(true));
    socket.once('error', answer(false));
  });
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
}

/** A port of loopback on which nothing listens now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
