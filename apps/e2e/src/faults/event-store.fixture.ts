import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { EventLogReader, EventStoreDbStandIn, eventually, type LoggedId } from '@settle/testing';

const SERVER_START_MS = 60_000;

/** A server that can be killed, suspended and started again with its events. */
type Server = Pick<EventStoreDbStandIn, 'url' | 'restart' | 'freeze' | 'thaw' | 'stop'>;

/** The EventStoreDB of a stack under faults, and what it stores. */
export class EventStoreUnderFaults {
  readonly #reader: EventLogReader;
  readonly #paymentEvents: LoggedId[] = [];

  private constructor(private readonly server: Server) {
    this.#reader = new EventLogReader(server.url);
  }

  /**
   * Starts the EventStoreDB that `FAULTS_EVENT_STORE=eventstoredb` requests; null without it. It is a stand-in with the timing
   * of a server, or the server at `EVENTSTORE_URL` that the command in `EVENTSTORE_START` runs in the foreground.
   */
  static async start(): Promise<EventStoreUnderFaults | null> {
    const {
      FAULTS_EVENT_STORE: kind = 'postgres',
      EVENTSTORE_URL: url = '',
      EVENTSTORE_START: command = '',
    } = process.env;
    if (kind === 'postgres') return null;
    if (kind !== 'eventstoredb') throw new Error('FAULTS_EVENT_STORE is neither postgres nor eventstoredb');
    if (url !== '' && command === '')
      throw new Error('EVENTSTORE_URL needs the command EVENTSTORE_START that runs the server');
    const store = new EventStoreUnderFaults(url === '' ? await startStandIn() : new ServerProcess(url, command));
    if (url !== '') await store.restart();
    return store;
  }

  get url(): string {
    return this.server.url;
  }

  /** Settings with which a service stores its events here. */
  get settings(): Readonly<Record<string, string>> {
    return { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: this.url };
  }

  /** Kills the server and starts it again with its events. Resolves once it serves reads. */
  async restart(): Promise<void> {
    await this.server.restart();
    await eventually(() => this.#readNew(), { timeoutMs: SERVER_START_MS });
  }

  /** Suspends the server: connections stay open and no bytes are sent. */
  freeze(): void {
    this.server.freeze();
  }

  thaw(): void {
    this.server.thaw();
  }

  /** Returns the events of all payments in the order of the log. */
  async paymentEvents(): Promise<readonly LoggedId[]> {
    await this.#readNew();
    return this.#paymentEvents;
  }

  async stop(): Promise<void> {
    await this.#reader.close();
    await this.server.stop();
  }

  async #readNew(): Promise<void> {
    const events = await this.#reader.readNew();
    this.#paymentEvents.push(...events.filter(({ stream }) => stream.startsWith('payment-')));
  }
}

/** Starts a stand-in that keeps the timing of a server over restarts. */
async function startStandIn(): Promise<Server> {
  const standIn = await EventStoreDbStandIn.start();
  await standIn.fail({ isServerTimed: true });
  return {
    url: standIn.url,
    restart: async () => {
      await standIn.restart();
      await standIn.fail({ isServerTimed: true });
    },
    freeze: () => standIn.freeze(),
    thaw: () => standIn.thaw(),
    stop: () => standIn.stop(),
  };
}

/** A real server that a command runs, with all processes of that command. */
class ServerProcess implements Server {
  #child: ChildProcess | null = null;

  constructor(
    readonly url: string,
    private readonly command: string,
  ) {}

  async restart(): Promise<void> {
    await this.stop();
    this.#child = spawn(this.command, { shell: true, detached: true, stdio: ['ignore', 'ignore', 'inherit'] });
  }

  async stop(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    this.#signal(child, 'SIGKILL');
    await ended;
  }

  freeze(): void {
    this.#signal(this.#child, 'SIGSTOP');
  }

  thaw(): void {
    this.#signal(this.#child, 'SIGCONT');
  }

  /** Signals the process group of the command, because the shell may have started the server as its child. */
  #signal(child: ChildProcess | null, signal: NodeJS.Signals): void {
    if (child?.pid === undefined) throw new Error('EVENTSTORE_START does not run');
    process.kill(-child.pid, signal);
  }
}
