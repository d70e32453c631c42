import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { settlesWithin, withTimeout } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import { keepRunning } from './keep-running.js';
import type { LogLines } from './log-lines.js';
import type { ProcessNotes } from './process-notes.js';

const { stack } = LIMITS;
const END_WITH_PARENT = new URL('../dist/end-with-parent.js', import.meta.url).href;
/** Requests are short-lived: with room for many, most are gone before the garbage of a moment is collected. */
const NODE_ARGS = ['--max-semi-space-size=64', '--import', END_WITH_PARENT];

export interface InstanceOptions {
  /** Such as `payments-1`. */
  readonly name: string;
  /** The program, as a path. */
  readonly main: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly healthPort: number;
  /** Null: it takes no requests over HTTP. */
  readonly httpPort: number | null;
  readonly notes: ProcessNotes;
  readonly lines: LogLines;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Called with each process that is started. */
  readonly onStart: (child: ChildProcess) => void;
  /** Called whenever it becomes ready or is no longer ready. */
  readonly onReadiness: (isReady: boolean) => void;
}

/** The known state of a process. */
export interface InstanceState extends Pick<InstanceOptions, 'name' | 'healthPort' | 'httpPort'> {
  /** Null while none runs. */
  readonly pid: number | null;
  readonly isReady: boolean;
  /** How often it was started again. */
  readonly restarts: number;
}

/** One process of a service, started again when it dies, until it is stopped. */
export class Instance {
  readonly #stop = new AbortController();
  readonly #becameReady = Promise.withResolvers<'ready'>();
  #child: ChildProcess | null = null;
  #running: Promise<unknown> = Promise.resolve();
  #isReady = false;
  #starts = 0;

  /** @param silenceMs after so long without an answer of its health port a process is killed */
  constructor(
    private readonly options: InstanceOptions,
    private readonly silenceMs: number = stack.silenceMs,
  ) {}

  get state(): InstanceState {
    const { name, healthPort, httpPort } = this.options;
    const restarts = Math.max(0, this.#starts - 1);
    return { name, pid: this.#child?.pid ?? null, isReady: this.#isReady, restarts, healthPort, httpPort };
  }

  /** Starts it and resolves once it is ready. Rejects, nothing being left, when it ends before that or is late. */
  async start(): Promise<void> {
    const { name, lines, logger } = this.options;
    const { signal } = this.#stop;
    const firstRun = this.#run();
    this.#running = firstRun;
    const late = () => new Error(`${name} was not ready in ${stack.readyWaitMs / 1000} s`);
    try {
      const how = await withTimeout(Promise.race([this.#becameReady.promise, firstRun]), stack.readyWaitMs, late);
      if (how !== 'ready') throw new Error(`${name} did not start: ${lines.lastComplaintOf(name) ?? how}`);
    } catch (error) {
      const wasStopped = signal.aborted;
      await this.stop();
      throw wasStopped ? new Error(`${name} was stopped while it was starting`) : error;
    }
    this.#running = keepRunning(firstRun, {
      start: () => Promise.resolve({ ended: this.#run() }),
      signal,
      onEnd: (how, pauseMs) =>
        logger.warn({ process: name, how }, `${name} has ended and is started again in ${pauseMs} ms`),
    });
  }

  /** Asks it to end and waits; kills it after 10 s. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#setReady(false);
    const child = this.#child;
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      if (!(await settlesWithin(ended, stack.stopWaitMs))) child.kill('SIGKILL');
      await ended;
    }
    await this.#running;
  }

  /** Starts a process, follows its readiness until it ends, and says how it ended. */
  async #run(): Promise<string> {
    const { healthPort } = this.options;
    const ended = this.#spawn();
    let hasEnded = false;
    void ended.then(() => (hasEnded = true));
    let silentAfterMs = performance.now() + stack.readyWaitMs;
    while (!hasEnded) {
      // The time of the last request: if it is this process that stood still, the others get the chance to answer after that.
      const askedAtMs = performance.now();
      const isReady = (await fetchStatus(healthPort, '/health/ready')) === 200;
      if (!hasEnded && !this.#stop.signal.aborted) this.#setReady(isReady);
      // Whether it is ready may take too long to say, because it queries its database.
      const isAlive = isReady || (await fetchStatus(healthPort, '/health/live')) !== null;
      if (isAlive) silentAfterMs = performance.now() + this.silenceMs;
      else if (askedAtMs >= silentAfterMs) this.#killSilent();
      await settlesWithin(ended, isReady ? stack.readyPollMs : stack.startPollMs);
    }
    return ended;
  }

  /** Nothing else ends it, and it would keep the connections that it has. */
  #killSilent(): void {
    if (this.#child === null || this.#stop.signal.aborted) return;
    const { name, logger } = this.options;
    logger.warn({ process: name }, `${name} answers nothing and is killed`);
    this.#child.kill('SIGKILL');
  }

  /** @returns how it ended, once it has */
  #spawn(): Promise<string> {
    const { name, main, env, lines, logger, notes, onStart } = this.options;
    const child = spawn(process.execPath, [...NODE_ARGS, main], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: a terminal sends Ctrl-C to whole groups, and there is an order in which all stop.
      detached: true,
    });
    this.#child = child;
    this.#starts += 1;
    lines.follow(name, child);
    onStart(child);
    const { pid } = child;
    const warn = (err: unknown) => logger.warn({ err, process: name }, 'a process could not be noted down');
    if (pid !== undefined) notes.add(pid).catch(warn);
    return new Promise((resolve) => {
      const end = (how: string) => {
        this.#child = null;
        this.#setReady(false);
        if (pid === undefined) resolve(how);
        else
          void notes
            .remove(pid)
            .catch(warn)
            .then(() => resolve(how));
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
    });
  }

  #setReady(isReady: boolean): void {
    if (isReady === this.#isReady) return;
    this.#isReady = isReady;
    const { name, logger, onReadiness } = this.options;
    onReadiness(isReady);
    if (isReady) this.#becameReady.resolve('ready');
    if (this.#stop.signal.aborted) return;
    if (isReady) logger.info({ process: name }, `${name} is ready`);
    else logger.warn({ process: name }, `${name} is not ready`);
  }
}

/** Returns the status of a response from a port of loopback; null if none comes in time. */
function fetchStatus(port: number, path: string): Promise<number | null> {
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, timeout: stack.readyAnswerMs, agent: false });
    request.once('response', (response) => resolve(response.resume().statusCode ?? null));
    request.once('timeout', () => request.destroy());
    request.once('close', () => resolve(null));
    request.once('error', () => resolve(null));
  });
}
