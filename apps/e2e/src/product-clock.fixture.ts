import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const DAY_MS = 86_400_000;
/** How often a process reads the file. */
const READ_EVERY_MS = 50;

/** The clock of all processes of a product that starts with `env`. It can be moved while they run. */
export class ProductClock {
  readonly #folder = mkdtempSync(join(tmpdir(), 'settle-clock-'));
  readonly #file = join(this.#folder, 'ahead-ms');

  /** @param days how far the clock is ahead; behind if negative */
  constructor(days: number) {
    this.#write(days);
  }

  /** Settings of the product. */
  get env(): Readonly<Record<string, string>> {
    const code = `import { readFileSync } from 'node:fs';
      const Real = Date;
      let aheadMs = 0;
      const read = () => {
        try { aheadMs = Number(readFileSync(${JSON.stringify(this.#file)}, 'utf8')); } catch {}
      };
      read();
      setInterval(read, ${READ_EVERY_MS}).unref();
      globalThis.Date = class extends Real {
        constructor(...given) { given.length === 0 ? super(Real.now() + aheadMs) : super(...given); }
        static now() { return Real.now() + aheadMs; }
      };`;
    return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(code)}` };
  }

  /**
   * Moves the clock of running processes, and of those that start later. Resolves once all have it: between processes whose clocks
   * differ no request is begun. @param days as in the constructor
   */
  async moveTo(days: number): Promise<void> {
    this.#write(days);
    await pause(2 * READ_EVERY_MS);
  }

  #write(days: number): void {
    const next = `${this.#file}.next`;
    writeFileSync(next, String(days * DAY_MS));
    // A process never reads half of it.
    renameSync(next, this.#file);
  }

  /** Removes the file. Processes that still run keep their clock. */
  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
