import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '..', 'dist', 'stand-in-main.js');
const START_TIMEOUT_MS = 20_000;

/** Faults of a stand-in, until they are changed; absent ones stay as they are. */
export interface StandInFaults {
  /** Every call is taken up so much later. */
  readonly delayMs?: number;
  /** Calls are answered as by a node that is still starting. */
  readonly notReady?: boolean;
  /** So many appends from now on are stored and not answered. */
  readonly answersToLose?: number;
  /** Events that are read from a stream come without their position, as servers before 23.10 send them. */
  readonly noPositions?: boolean;
}

export interface StandInState {
  readonly events: number;
  /** Answers lost since it was last told how many to lose. */
  readonly lostAnswers: number;
  readonly subscribers: number;
}

/**
 * A small server that answers the EventStoreDB client as the real one was seen to. It is a process of its own, which
 * can be killed and frozen, and keeps its events over a restart. Needs the built lib.
 */
export class EventStoreDbStandIn {
  #child: ChildProcess | null = null;
  #port = 0;

  private constructor(private readonly folder: string) {}

  static async start(): Promise<EventStoreDbStandIn> {
    const standIn = new EventStoreDbStandIn(await mkdtemp(join(tmpdir(), 'settle-eventstoredb-')));
    await standIn.restart();
    return standIn;
  }

  get url(): string {
    return `esdb://127.0.0.1:${this.#port}?tls=false`;
  }

  /** Starts it again where it was, with its events and without faults. */
  async restart(): Promise<void> {
    await this.kill();
    const child = fork(MAIN, [join(this.folder, 'log'), String(this.#port)], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      timeout: 0,
    });
    this.#child = child;
    const signal = AbortSignal.timeout(START_TIMEOUT_MS);
    const ended = once(child, 'exit', { signal }).then(() => {
      throw new Error('The EventStoreDB stand-in did not start: is the testing lib built?');
    });
    const [{ port }] = (await Promise.race([once(child, 'message', { signal }), ended])) as [{ port: number }];
    ended.catch(() => undefined);
    this.#port = port;
  }

  /** Starts it again as it was when it held only its first `events` events: as if an older copy was restored. */
  async restoreTo(events: number): Promise<void> {
    await this.kill();
    const log = join(this.folder, 'log');
    const lines = (await readFile(log, 'utf8')).split('\n').slice(0, events);
    await writeFile(log, lines.map((line) => `${line}\n`).join(''));
    await this.restart();
  }

  /** As a power cut: nothing is answered any more, and connections break. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Connections stay open and nothing moves. */
  freeze(): void {
    this.#running().kill('SIGSTOP');
  }

  thaw(): void {
    this.#running().kill('SIGCONT');
  }

  /** Plants faults, or takes them back. */
  async fail(faults: StandInFaults): Promise<StandInState> {
    return this.#tell(faults);
  }

  /** Ends every subscription, as the server does with consumers that cannot keep up. */
  async dropSubscribers(): Promise<StandInState> {
    return this.#tell({ dropSubscribers: true });
  }

  async state(): Promise<StandInState> {
    return this.#tell({});
  }

  /** Ends it and removes its events. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #tell(message: object): Promise<StandInState> {
    const child = this.#running();
    const answer = once(child, 'message');
    child.send(message);
    const [state] = (await answer) as [StandInState];
    return state;
  }

  #running(): ChildProcess {
    if (this.#child === null) throw new Error('The EventStoreDB stand-in does not run');
    return this.#child;
  }
}
