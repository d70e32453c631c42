import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { SERVICES, ServiceName } from '@settle/contracts';

const MAIN = fileURLToPath(new URL('../../../apps/stack/dist/main.js', import.meta.url));
/** A killed test run skips its teardown: a process that loads this stops when its parent process has ended. */
const END_WITH_PARENT = new URL('../../../apps/stack/dist/end-with-parent.js', import.meta.url).href;
const START_TIMEOUT_MS = 90_000;
const STOP_TIMEOUT_MS = 30_000;
const COMMAND_TIMEOUT_MS = 120_000;
const PRINTED_KEPT = 50_000;

type Group = (typeof SERVICES)[ServiceName]['group'];

export interface StackOptions {
  readonly dataDir: string;
  /** The same port at every start keeps addresses the same; null draws a free one. */
  readonly port: number | null;
  /** One of each service unless given. */
  readonly counts?: Partial<Readonly<Record<Group, number>>>;
  /** Settings beside those that every stack under test gets. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One process of a service. */
export interface StackProcess {
  /** Such as `payments-1`. */
  readonly name: string;
  /** Null while none runs. */
  readonly pid: number | null;
  readonly isReady: boolean;
  /** How often it was started again. */
  readonly restarts: number;
  readonly healthPort: number;
  /** Null: it takes no requests over HTTP. */
  readonly httpPort: number | null;
}

export interface StackState {
  /** The public port, as this machine reaches it. */
  readonly url: string;
  /** Of the supervisor, which listens on the public port. */
  readonly pid: number;
  readonly kafka: { readonly brokers: readonly string[]; readonly pid: number | null };
  readonly postgres: { readonly pid: number | null };
  readonly instances: readonly StackProcess[];
}

export interface StackUnderTest {
  /** The public port, without a path. */
  readonly url: string;
  /** What it has printed last. */
  printed(): string;
  status(): Promise<StackState>;
  /** Starts or stops instances, one at a time; resolves once there are `count` that are ready. */
  scale(group: Group, count: number): Promise<void>;
  /** Stops the stack's own broker until it is started. */
  kafka(action: 'stop' | 'start'): Promise<void>;
  /** Asks it to stop and waits, kills it after 30 s; gives its exit code. */
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
    ...env,
  };
  const args = Object.entries(counts).flatMap(([group, count]) => [`--${group}`, String(count)]);
  const child = spawn(process.execPath, ['--import', END_WITH_PARENT, MAIN, ...args], {
    env: all,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  const keep = (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-PRINTED_KEPT));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  await untilReady(child, () => printed);
  const command = async (...words: string[]): Promise<string> => {
    const options = { env: all, timeout: COMMAND_TIMEOUT_MS };
    return (await promisify(execFile)(process.execPath, [MAIN, ...words], options)).stdout;
  };
  const status = async () => JSON.parse(await command('status', '--json')) as StackState;
  const { url } = await status();
  return {
    url,
    printed: () => printed,
    status,
    scale: async (group, count) => void (await command('scale', group, String(count))),
    kafka: async (action) => void (await command('kafka', action)),
    stop: () => end(child, 'SIGTERM'),
    kill: async () => void (await end(child, 'SIGKILL')),
  };
}

async function untilReady(child: ChildProcess, printed: () => string): Promise<void> {
  const waiting = new AbortController();
  const signal = AbortSignal.any([waiting.signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
  const failed = once(child, 'exit', { signal }).then(
    ([code]) => `ended (exit code ${String(code)})`,
    () => `was not ready in ${START_TIMEOUT_MS} ms`,
  );
  const ready = (async () => {
    while (!/^Ready: /m.test(printed())) await once(child.stdout ?? child, 'data', { signal });
    return null;
  })().catch(() => failed);
  const problem = await Promise.race([ready, failed]);
  waiting.abort();
  if (problem === null) return;
  child.kill('SIGTERM');
  throw new Error(`The stack ${problem}:\n${printed()}`);
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
