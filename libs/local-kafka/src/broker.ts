import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pollUntil, settlesWithin } from '@settle/concurrency';
import { freePort } from './free-port.js';
import { BROKER_JVM, java, QUICK_START } from './java.js';
import { stopOrphanedBroker, kafkaFolder, recordBroker, settingsFile } from './orphan.js';
import { serverProperties } from './server-properties.js';

const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 25;
/** Any 22 characters of base64url: a single node needs no id that differs from other clusters. */
const CLUSTER_ID = 'U2V0dGxlIHNwZWMga2Fma2';

export interface KafkaOptions {
  /** The log lives in its subfolder `kafka`. One broker at a time may use it. */
  readonly dataDir: string;
  /** Null: a free one. */
  readonly port: number | null;
  /** Default: a free one. A folder starts fastest with the same port each time. */
  readonly controllerPort?: number;
  /** The JVM compiles as much as it can: slower for its first ten seconds, faster afterwards. For measurements. */
  readonly isForLong?: boolean;
  /** Settings of `server.properties` that replace the usual ones or are added to them. */
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
 * Starts the broker of these jars and resolves once it listens; `flags` are additional ones for its JVM. A broker that a
 * killed process left running on the folder is ended first. Errors: one line with the last output of the broker.
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
    // A separate process group: a terminal sends Ctrl-C to whole groups, and the broker must stop last.
    detached: true,
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const ended = once(child, 'exit').then(([code, signal]) => String(signal ?? code));
  void ended.then(() => process.off('exit', killWithUs));
  await recordBroker(folder, child.pid ?? 0);
  await waitUntilItListens(child, listens);
  return {
    brokers: [`127.0.0.1:${listens}`],
    pid: child.pid ?? 0,
    ended,
    stop: () => end(child, 'SIGTERM'),
    kill: () => end(child, 'SIGKILL'),
  };
}

async function waitUntilItListens(child: ChildProcess, port: number): Promise<void> {
  let output = '';
  const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const listensOrEnded = async () => (await accepts(port)) || hasEnded(child);
  const isInTime = await pollUntil(listensOrEnded, { everyMs: POLL_MS, timeoutMs: START_TIMEOUT_MS });
  if (isInTime && !hasEnded(child)) return;
  child.kill('SIGKILL');
  throw new Error(`Kafka ${isInTime ? 'ended' : `was not there in ${START_TIMEOUT_MS} ms`}: ${output.trim()}`);
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(signal);
  if (!(await settlesWithin(ended, STOP_TIMEOUT_MS))) child.kill('SIGKILL');
  await ended;
}
