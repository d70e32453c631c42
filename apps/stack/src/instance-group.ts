import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { ConnectionDispatcher } from './connection-dispatcher.js';
import { Instance } from './instance.js';
import type { ReservedPorts } from './reserved-ports.js';
import type { LogLines } from './log-lines.js';
import type { ProcessNotes } from './process-notes.js';

/** The parts that all processes of the stack share. */
export interface StackParts {
  readonly ports: ReservedPorts;
  readonly notes: ProcessNotes;
  readonly lines: LogLines;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

export interface GroupOptions {
  /** Instances are `<name>-1` and so on. */
  readonly name: string;
  /** The program, as a path. */
  readonly main: string;
  /** Settings of every instance. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Distributes connections over HTTP among them; null if they serve none. */
  readonly dispatcher: ConnectionDispatcher | null;
  readonly parts: StackParts;
}

/** The known state of a process. */
export interface InstanceState {
  readonly name: string;
  readonly pid: number | null;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly healthPort: number;
  /** Null: it takes no requests over HTTP. */
  readonly httpPort: number | null;
}

interface Member {
  readonly instance: Instance;
  readonly healthPort: number;
  readonly httpPort: number | null;
}

/** The instances of one service, of which there can be more or fewer while it serves. */
export class InstanceGroup {
  readonly #options: GroupOptions;
  readonly #members: Member[] = [];
  /** One change of the count at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  #isClosing = false;

  constructor(options: GroupOptions) {
    this.#options = options;
  }

  states(): InstanceState[] {
    return this.#members.map(({ instance, healthPort, httpPort }) => {
      const { name, pid, isReady, restarts } = instance;
      return { name, pid, isReady, restarts, healthPort, httpPort };
    });
  }

  /**
   * Starts or stops instances, one at a time, until there are `count`. An instance answers all its requests before it
   * stops. Rejects if an instance does not start; the others keep running.
   * @param say prints each step
   */
  scale(count: number, say: (line: string) => void): Promise<void> {
    const scaled = this.#turn.then(() => this.#scale(count, say));
    this.#turn = scaled.catch(() => undefined);
    return scaled;
  }

  /** Starts the first `count`, side by side. */
  async start(count: number): Promise<void> {
    for (let made = 0; made < count; made += 1) await this.#make();
    await Promise.all(this.#members.map(({ instance }) => instance.start()));
  }

  /** Stops all, side by side; nothing is started any more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#members.map(({ instance }) => instance.stop()));
    await this.#turn;
  }

  async #scale(count: number, say: (line: string) => void): Promise<void> {
    const { name } = this.#options;
    while (this.#members.length !== count) {
      if (this.#isClosing) throw new Error('Everything is being stopped');
      const startedAtMs = performance.now();
      const isMore = this.#members.length < count;
      const last = this.#members.at(-1);
      say(isMore ? `${name}-${this.#members.length + 1} starts` : `${last?.instance.name} finishes what it has`);
      const changed = isMore || last === undefined ? await this.#startNext() : await this.#remove(last);
      const spent = `${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`;
      say(`${changed} ${isMore ? 'is ready' : 'has stopped'} (${spent})`);
      if (this.#members.length > count) await pause(LIMITS.stack.rebalanceMs);
    }
    say(`${name}: ${count} ${count === 1 ? 'instance' : 'instances'}`);
  }

  async #startNext(): Promise<string> {
    const member = await this.#make();
    try {
      await member.instance.start();
    } catch (error) {
      await this.#remove(member);
      throw error;
    }
    return member.instance.name;
  }

  /** Made, known and not started yet. */
  async #make(): Promise<Member> {
    const { main, dispatcher, env, parts } = this.#options;
    const name = `${this.#options.name}-${this.#members.length + 1}`;
    const healthPort = await parts.ports.take(`${name} health`);
    const httpPort = dispatcher === null ? null : await parts.ports.take(name);
    const own = { INSTANCE_ID: name, HEALTH_HOST: '127.0.0.1', HEALTH_PORT: String(healthPort) };
    const http = httpPort === null ? {} : { HOST: '127.0.0.1', PORT: String(httpPort) };
    const instance = new Instance({
      ...parts,
      name,
      main,
      healthPort,
      env: { ...env, ...own, ...http },
      onStart: (child) => dispatcher?.add(name, child),
      onReadiness: (isReady) => dispatcher?.setReady(name, isReady),
    });
    const member = { instance, healthPort, httpPort };
    this.#members.push(member);
    return member;
  }

  /** Gives it no more connections and stops it; it answers its requests before it ends. */
  async #remove(member: Member): Promise<string> {
    const { name } = member.instance;
    this.#options.dispatcher?.remove(name);
    await member.instance.stop();
    this.#members.splice(this.#members.indexOf(member), 1);
    for (const port of [name, `${name} health`]) this.#options.parts.ports.release(port);
    return name;
  }
}
