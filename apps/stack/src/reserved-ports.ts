import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

/** Ports of this machine by what listens on them, the same at every start as long as they are free. */
export class ReservedPorts {
  readonly #given = new Set<number>();
  /** One at a time: two must not be given the same. */
  #turn: Promise<unknown> = Promise.resolve();

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
  async take(name: string): Promise<number> {
    const taken = this.#turn.then(() => this.#take(name));
    this.#turn = taken.catch(() => undefined);
    return taken;
  }

  /** Releases the port. Its number stays noted for the next reservation under this name. */
  release(name: string): void {
    const port = this.ports[name];
    if (port !== undefined) this.#given.delete(port);
  }

  async #take(name: string): Promise<number> {
    const kept = this.ports[name] ?? 0;
    let port = this.#given.has(kept) ? null : await freePort(kept);
    while (port === null || this.#given.has(port)) port = await freePort(0);
    this.#given.add(port);
    this.ports[name] = port;
    await writeFile(`${this.file}.new`, `${JSON.stringify(this.ports, null, 2)}\n`);
    await rename(`${this.file}.new`, this.file);
    return port;
  }
}

/** The port itself when it is free, any free one for 0, else null. */
export function freePort(port: number): Promise<number | null> {
  return new Promise((found) => {
    const probe = createServer();
    probe.once('error', () => found(null));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => found(typeof address === 'object' ? (address?.port ?? null) : null));
    });
  });
}
