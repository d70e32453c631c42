import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { LogLines } from './log-lines.js';
import type { ProcessNotes } from './process-notes.js';
import { isReadyOn, isRunningOn } from './readiness.js';
import { RestartBackoff } from './restart-backoff.js';

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
  readonly notes: ProcessNotes;
  readonly lines: LogLines;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  /** Called with each process that is started. */
  readonly onStart: (child: ChildProcess) => void;
  /** Called whenever it becomes ready or is no longer ready. */
  readonly onReadiness: (isReady: boolean) => void;
}

/** One process of a service, started again when it dies, until it is stopped. */
export class Instance {
  readonly #restartPause = new RestartBackoff();
  readonly #options: InstanceOptions;
  readonly #stop = new AbortController();
  #child: ChildProcess | null = null;
  #life: Promise<void> = Promise.resolve();
  #isReady = false;
  #starts = 0;
  #bornAtMs = 0;
  #tellReady: () => void = () => undefined;

  /** @param silenceMs after so long without an answer of its health port a process is killed */
  constructor(
    options: InstanceOptions,
    private readonly silenceMs: number = stack.silenceMs,
  ) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Null while none runs. */
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** How often it was started again. */
  get restarts(): number {
    return Math.max(0, this.#starts - 1);
  }

  /** Starts it and resolves once it is ready. Rejects, nothing being left, when it ends before that or is late. */
  async start(): Promise<void> {
    const { name, lines } = this.#options;
    const isReady = new Promise<'ready'>((resolve) => (this.#tellReady = () => resolve('ready')));
    const firstLife = this.#run();
    this.#life = firstLife.then(() => undefined);
    const clock = new AbortController();
    const isLate = pause(stack.readyWaitMs, 'late' as const, { signal: clock.signal }).catch(() => 'late' as const);
    const outcome = await Promise.race([isReady, firstLife, isLate]);
    clock.abort();
    if (outcome === 'ready') {
      this.#life = this.#keep(firstLife);
      return;
    }
    const wasStopped = this.#stop.signal.aborted;
    await this.stop();
    if (wasStopped) throw new Error(`${name} was stopped while it was starting`);
    if (outcome === 'late') throw new Error(`${name} was not ready in ${stack.readyWaitMs / 1000} s`);
    throw new Error(`${name} did not start: ${lines.lastComplaintOf(name) ?? outcome}`);
  }

  /** Asks it to end and waits; kills it after 10 s. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#setReady(false);
    const child = this.#child;
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), stack.stopWaitMs);
      await ended;
      clearTimeout(timer);
    }
    await this.#life;
  }

  /** Looks after a process that runs, and after those that follow it. */
  async #keep(firstLife: Promise<string>): Promise<void> {
    const { name, logger } = this.#options;
    let life = firstLife;
    for (;;) {
      const how = await life;
      if (this.#stop.signal.aborted) return;
      const pauseMs = this.#restartPause.afterLife(performance.now() - this.#bornAtMs);
      logger.warn({ process: name, how }, `${name} has ended and is started again in ${pauseMs} ms`);
      await pause(pauseMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      if (this.#stop.signal.aborted) return;
      life = this.#run();
    }
  }

  /** Starts a process, follows its readiness until it ends, and says how it ended. */
  async #run(): Promise<string> {
    const { healthPort } = this.#options;
    const ended = this.#spawn();
    let end: string | null = null;
    void ended.then((how) => (end = how));
    let silentAfterMs = this.#bornAtMs + stack.readyWaitMs;
    while (end === null) {
      // The time of the last request: if it is this process that stood still, the others get the chance to answer after that.
      const askedAtMs = performance.now();
      const isReady = await isReadyOn(healthPort);
      if (end === null && !this.#stop.signal.aborted) this.#setReady(isReady);
      if (isReady || (await isRunningOn(healthPort))) silentAfterMs = performance.now() + this.silenceMs;
      else if (askedAtMs >= silentAfterMs) this.#killSilent();
      await Promise.race([ended, pause(isReady ? stack.readyPollMs : stack.startPollMs)]);
    }
    return ended;
  }

  /** Nothing else ends it, and it would keep the connections that it has. */
  #killSilent(): void {
    if (this.#child === null || this.#stop.signal.aborted) return;
    const { name, logger } = this.#options;
    logger.warn({ process: name }, `${name} answers nothing and is killed`);
    this.#child.kill('SIGKILL');
  }

  /** @returns how it ended, once it has */
  #spawn(): Promise<string> {
    const { name, main, env, lines, notes } = this.#options;
    const child = spawn(process.execPath, [...NODE_ARGS, main], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: a terminal sends Ctrl-C to whole groups, and there is an order in which all stop.
      detached: true,
    });
    this.#child = child;
    this.#bornAtMs = performance.now();
    this.#starts += 1;
    lines.follow(name, child);
    this.#options.onStart(child);
    const { pid } = child;
    if (pid !== undefined) void notes.add(pid);
    return new Promise((resolve) => {
      const end = (how: string) => {
        this.#child = null;
        this.#setReady(false);
        if (pid === undefined) resolve(how);
        else void notes.remove(pid).finally(() => resolve(how));
      };
      child.once('error', (error) => end(error.message));
      child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
    });
  }

  #setReady(isReady: boolean): void {
    if (isReady === this.#isReady) return;
    this.#isReady = isReady;
    this.#options.onReadiness(isReady);
    const { name, logger } = this.#options;
    if (isReady) this.#tellReady();
    if (this.#stop.signal.aborted) return;
    if (isReady) logger.info({ process: name }, `${name} is ready`);
    else logger.warn({ process: name }, `${name} is not ready`);
  }
}
