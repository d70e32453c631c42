import { KeyedMutex, sleep } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { ConnectionDispatcher } from './connection-dispatcher.js';
import { Instance, type InstanceOptions, type InstanceState } from './instance.js';
import type { ReservedPorts } from './reserved-ports.js';

/** The parts that all processes of the stack share. */
export interface StackParts extends Pick<InstanceOptions, 'notes' | 'lines' | 'logger'> {
  readonly ports: ReservedPorts;
}

/** `env` is that of every instance; instances are named `<name>-1` and so on. */
export interface GroupOptions extends Pick<InstanceOptions, 'name' | 'main' | 'env'> {
  /** Distributes connections over HTTP among them; null if they serve none. */
  readonly dispatcher: ConnectionDispatcher | null;
  readonly parts: StackParts;
}

/** The instances of one service, of which there can be more or fewer while it serves. */
export class InstanceGroup {
  readonly #members: Instance[] = [];
  /** One change of the count at a time. */
  readonly #changes = new KeyedMutex();
  #isClosing = false;

  constructor(private readonly options: GroupOptions) {}

  states(): InstanceState[] {
    return this.#members.map(({ state }) => state);
  }

  /**
   * Starts or stops instances, one at a time, until there are `count`. An instance answers all its requests before it
   * stops. Rejects if an instance does not start; the others keep running.
   * @param say prints each step
   */
  scale(count: number, say: (line: string) => void): Promise<void> {
    return this.#changes.run(this.options.name, () => this.#scale(count, say));
  }

  /**
   * Replaces every instance by one that runs the present build, one at a time. One more instance serves meanwhile, so that
   * a service of a single instance is not interrupted. Rejects if an instance does not start; the others keep running.
   * @param say prints each step
   */
  restart(say: (line: string) => void): Promise<void> {
    return this.#changes.run(this.options.name, async () => {
      const names = this.#members.map(({ state }) => state.name);
      await this.#scale(names.length + 1, say);
      for (const name of names) {
        await this.#replace(name, say);
        await sleep(LIMITS.stack.rebalanceMs);
      }
      await this.#scale(names.length, say);
    });
  }

  /** Starts the first `count`, side by side. */
  async start(count: number): Promise<void> {
    for (let made = 0; made < count; made += 1) await this.#make();
    await Promise.all(this.#members.map((instance) => instance.start()));
  }

  /** Stops all, side by side; nothing is started any more. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#members.map((instance) => instance.stop()));
    await this.#changes.run(this.options.name, () => Promise.resolve());
  }

  async #scale(count: number, say: (line: string) => void): Promise<void> {
    const { name } = this.options;
    while (this.#members.length !== count) {
      if (this.#isClosing) throw new Error('Everything is being stopped');
      const startedAtMs = performance.now();
      const isMore = this.#members.length < count;
      const last = this.#members.at(-1);
      say(isMore ? `${name}-${this.#members.length + 1} starts` : `${last?.state.name} finishes what it has`);
      const changed = isMore || last === undefined ? await this.#startNext() : await this.#remove(last);
      const spent = `${((performance.now() - startedAtMs) / 1000).toFixed(1)} s`;
      say(`${changed} ${isMore ? 'is ready' : 'has stopped'} (${spent})`);
      if (this.#members.length > count) await sleep(LIMITS.stack.rebalanceMs);
    }
    say(`${name}: ${count} ${count === 1 ? 'instance' : 'instances'}`);
  }

  async #replace(name: string, say: (line: string) => void): Promise<void> {
    const at = this.#members.findIndex(({ state }) => state.name === name);
    const old = this.#members[at];
    if (this.#isClosing || old === undefined) throw new Error('Everything is being stopped');
    say(`${name} finishes what it has`);
    await this.#remove(old);
    await this.#startNext(at);
    say(`${name} is ready again`);
  }

  /** @param at position among the members, from 0, by which it is named */
  async #startNext(at = this.#members.length): Promise<string> {
    const instance = await this.#make(at);
    try {
      await instance.start();
    } catch (error) {
      await this.#remove(instance);
      throw error;
    }
    return instance.state.name;
  }

  /** Made, known and not started yet. */
  async #make(at = this.#members.length): Promise<Instance> {
    const { main, dispatcher, env, parts } = this.options;
    const name = `${this.options.name}-${at + 1}`;
    const healthPort = await parts.ports.take(`${name} health`);
    const httpPort = dispatcher === null ? null : await parts.ports.take(name);
    // A restart or a change of scale may have waited while all were stopped.
    if (this.#isClosing) throw new Error('Everything is being stopped');
    const own = { INSTANCE_ID: name, HEALTH_HOST: '127.0.0.1', HEALTH_PORT: String(healthPort) };
    const http = httpPort === null ? {} : { HOST: '127.0.0.1', PORT: String(httpPort) };
    const instance = new Instance({
      ...parts,
      name,
      main,
      healthPort,
      httpPort,
      env: { ...env, ...own, ...http },
      onStart: (child) => dispatcher?.add(name, child),
      onReadiness: (isReady) => dispatcher?.setReady(name, isReady),
    });
    this.#members.splice(at, 0, instance);
    return instance;
  }

  /** Gives it no more connections and stops it; it answers its requests before it ends. */
  async #remove(instance: Instance): Promise<string> {
    const { name } = instance.state;
    const { dispatcher, parts } = this.options;
    dispatcher?.remove(name);
    await instance.stop();
    this.#members.splice(this.#members.indexOf(instance), 1);
    for (const port of [name, `${name} health`]) parts.ports.release(port);
    return name;
  }
}
