import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SERVICES, ServiceName } from '@settle/contracts';

const MAIN = fileURLToPath(new URL('../../../apps/stack/dist/main.js', import.meta.url));
/** A process that loads this module stops when its parent process has ended, because a killed test run skips its teardown. */
const END_WITH_PARENT = new URL('../../../apps/stack/dist/end-with-parent.js', import.meta.url).href;
const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 30_000;
const COMMAND_TIMEOUT_MS = 120_000;
const PRINTED_KEPT = 50_000;

type Group = (typeof SERVICES)[ServiceName]['group'];

export interface StackOptions {
  readonly dataDir: string;
  /** Null for a free port; the same port at every start keeps addresses the same. */
  readonly port: number | null;
  /** The number of instances; the default is one of each service. */
  readonly counts?: Partial<Readonly<Record<Group, number>>>;
  /** Settings in addition to those of every stack under test. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One process of a service. */
export interface StackProcess {
  /** For example `payments-1`. */
  readonly name: string;
  /** Null while it does not run. */
  readonly pid: number | null;
  readonly isReady: boolean;
  /** The number of restarts. */
  readonly restarts: number;
  readonly healthPort: number;
  /** Null if it does not serve HTTP requests. */
  readonly httpPort: number | null;
}

export interface StackState {
  /** The public port, as this machine reaches it. */
  readonly url: string;
  /** The process id of the supervisor, which listens on the public port. */
  readonly pid: number;
  readonly kafka: { readonly brokers: readonly string[]; readonly pid: number | null };
  readonly postgres: { readonly pid: number | null };
  readonly instances: readonly StackProcess[];
}

export interface StackUnderTest {
  /** The public port, without a path. */
  readonly url: string;
  /** Returns the last part of the output. */
  recentOutput(): string;
  status(): Promise<StackState>;
  /** Starts or stops instances, one at a time. Resolves once `count` are ready. */
  scale(group: Group, count: number): Promise<void>;
  /** Replaces every instance of a service, one at a time. Resolves once the last one is ready. */
  restart(group: Group): Promise<void>;
  /** Prints the health ports as Prometheus reads them. */
  targets(): Promise<string>;
  /** Stops or starts the managed broker of the stack. */
  kafka(action: 'stop' | 'start'): Promise<void>;
  /** Requests the stop and waits, kills the process after 30 s. Returns the exit code. */
  stop(): Promise<number | null>;
  /** Kills the supervisor alone. */
  kill(): Promise<void>;
}

/** Starts the built stack as its users do, on loopback and free ports, and waits until it is ready. */
export async function startStack({ dataDir, port, counts = {}, env = {} }: StackOptions): Promise<StackUnderTest> {
  if (!existsSync(MAIN)) throw new Error('The stack is not built: run `npm run build` first.');
  const all = {
    ...process.env,
    NODE_ENV: 'development',
    NODE_OPTIONS: '',
    PORT: String(port ?? 0),
    KAFKA_PORT: '0',
    DATA_DIR: dataDir,
    DEMO: 'true',
    LOG_LEVEL: 'warn',
    RATE_LIMITS: 'off',
    SOURCE_AMOUNT_PER_DAY: '99999999',
    ...env,
  };
  const args = Object.entries(counts).flatMap(([group, count]) => [`--${group}`, String(count)]);
  const child = spawn(process.execPath, ['--import', END_WITH_PARENT, MAIN, ...args], {
    env: all,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let recentOutput = '';
  const keep = (chunk: Buffer) => (recentOutput = (recentOutput + chunk.toString()).slice(-PRINTED_KEPT));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  await waitUntilReady(child, () => recentOutput);
  const command = async (...words: string[]): Promise<string> => {
    const options = { env: all, timeout: COMMAND_TIMEOUT_MS };
    return (await promisify(execFile)(process.execPath, [MAIN, ...words], options)).stdout;
  };
  const status = async () => JSON.parse(await command('status', '--json')) as StackState;
  const { url } = await status();
  return {
    url,
    recentOutput: () => recentOutput,
    status,
    scale: async (group, count) => void (await command('scale', group, String(count))),
    restart: async (group) => void (await command('restart', group)),
    targets: () => command('targets'),
    kafka: async (action) => void (await command('kafka', action)),
    stop: () => end(child, 'SIGTERM'),
    kill: async () => void (await end(child, 'SIGKILL')),
  };
}

async function waitUntilReady(child: ChildProcess, recentOutput: () => string): Promise<void> {
  const waiting = new AbortController();
  const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
  const failed = once(child, 'exit', { signal }).then(
    ([code]) => `ended (exit code ${String(code)})`,
    () => `was not ready in ${START_TIMEOUT_MS} ms`,
  );
  const ready = (async () => {
    while (!/^Ready: /m.test(recentOutput())) await once(child.stdout ?? child, 'data', { signal });
    return null;
  })().catch(() => failed);
  const problem = await Promise.race([ready, failed]);
  waiting.abort();
  if (problem === null) return;
  child.kill('SIGTERM');
  throw new Error(`The stack ${problem}:\n${recentOutput()}`);
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const ended = once(child, 'exit');
  child.kill(signal);
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(timer);
  return child.exitCode;
}
