import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedMutex } from '@settle/concurrency';
import { freePort } from '@settle/local-kafka';

/** Ports of this machine by what listens on them, the same at every start as long as they are free. */
export class ReservedPorts {
  readonly #given = new Set<number>();
  /** One at a time: two must not be given the same. */
  readonly #takes = new KeyedMutex();

  private constructor(
    private readonly file: string,
    private readonly ports: Record<string, number>,
  ) {}

  /** @param dataDir holds them in `ports.json` */
  static async in(dataDir: string): Promise<ReservedPorts> {
    const file = join(dataDir, 'ports.json');
    const text = await readFile(file, 'utf8').catch(() => '{}');
    return new ReservedPorts(file, JSON.parse(text) as Record<string, number>);
  }

  /** Returns a port on loopback that is free now and reserved under this name. */
  take(name: string): Promise<number> {
    return this.#takes.run(this.file, () => this.#take(name));
  }

  /** Releases the port. Its number stays noted for the next reservation under this name. */
  release(name: string): void {
    const port = this.ports[name];
    if (port !== undefined) this.#given.delete(port);
  }

  async #take(name: string): Promise<number> {
    const kept = this.ports[name] ?? 0;
    let port = await freePort(kept).catch(() => freePort());
    while (this.#given.has(port)) port = await freePort();
    this.#given.add(port);
    this.ports[name] = port;
    await writeFile(`${this.file}.new`, `${JSON.stringify(this.ports, null, 2)}\n`);
    await rename(`${this.file}.new`, this.file);
    return port;
  }
}
