import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '..', 'dist', 'stand-in-main.js');
const START_TIMEOUT_MS = 50_000;

/** Faults of a stand-in that stay until they are changed; absent fields are not changed. */
export interface StandInFaults {
  /** The delay before every call is processed. */
  readonly delayMs?: number;
  /** Calls get the errors of a node that is still starting. */
  readonly notReady?: boolean;
  /** Appends and live events take as long as on a real server. */
  readonly isServerTimed?: boolean;
  /** The number of next appends that are stored without a response. */
  readonly responsesToDrop?: number;
  /** Appends to this stream get no response; `isStored` says whether they are stored. Null: there is no such stream. */
  readonly silentStream?: { readonly name: string; readonly isStored: boolean } | null;
  /** Events of a stream are sent without their position, as servers before 23.10 do. */
  readonly noPositions?: boolean;
}

export interface StandInState {
  readonly events: number;
  /** Appends that were stored or rejected since the start of the process. */
  readonly appends: number;
  /** Responses that were dropped since the number was last set. */
  readonly droppedResponses: number;
  /** Reads that a node of a cluster may answer that is behind. Subscriptions do not count. */
  readonly readsOfAnyNode: number;
  readonly subscribers: number;
}

/**
 * A small server that responds to the EventStoreDB client as the real one was observed to. It is a separate process, which
 * can be killed and frozen, and which keeps its events over a restart. It needs the built lib.
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

  /** Starts the server again on the same port, with its events and without faults. */
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

  /** Starts the server again with only its first `events` events, as if an older copy was restored. */
  async restoreTo(events: number): Promise<void> {
    await this.kill();
    const log = join(this.folder, 'log');
    const lines = (await readFile(log, 'utf8')).split('\n').slice(0, events);
    await writeFile(log, lines.map((line) => `${line}\n`).join(''));
    await this.restart();
  }

  /** Kills the process like a power cut: connections break. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Suspends the process: connections stay open and no bytes are sent. */
  freeze(): void {
    this.#running().kill('SIGSTOP');
  }

  thaw(): void {
    this.#running().kill('SIGCONT');
  }

  /** Sets or clears faults. */
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

  /** Ends the server and removes its events. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #tell(message: object): Promise<StandInState> {
    const child = this.#running();
    const response = once(child, 'message');
    child.send(message);
    const [state] = (await response) as [StandInState];
    return state;
  }

  #running(): ChildProcess {
    if (this.#child === null) throw new Error('The EventStoreDB stand-in does not run');
    return this.#child;
  }
}
