import { mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@settle/testing';

const DAY_MS = 86_400_000;
/** How often a process reads the file. */
const READ_EVERY_MS = 50;

/** The clock of all processes of a product that starts with `env`. It can be moved while they run. */
export class ProductClock {
  readonly #folder = mkdtempSync(join(tmpdir(), 'settle-clock-'));
  readonly #file = join(this.#folder, 'ahead-ms');
  /** A file for each process, named by its id, with the time that it has. */
  readonly #processes = join(this.#folder, 'processes');

  /** @param days how far the clock is ahead; behind if negative */
  constructor(days: number) {
    mkdirSync(this.#processes);
    this.#write(days);
  }

  /** Settings of the product. */
  get env(): Readonly<Record<string, string>> {
    const code = `import { readFileSync, rmSync, writeFileSync } from 'node:fs';
      import { isMainThread } from 'node:worker_threads';
      const Real = Date;
      const ownFile = ${JSON.stringify(this.#processes)} + '/' + process.pid;
      let aheadMs = 0;
      let reported = null;
      const report = (text) => {
        if (isMainThread && text !== reported) writeFileSync(ownFile, text);
        reported = text;
      };
      const read = () => {
        try {
          const text = readFileSync(${JSON.stringify(this.#file)}, 'utf8');
          aheadMs = Number(text);
          report(text);
        } catch {}
      };
      // Before the first reading: a move that does not see this process is seen by it.
      try { report(''); } catch {}
      read();
      setInterval(read, ${READ_EVERY_MS}).unref();
      if (isMainThread) process.on('exit', () => rmSync(ownFile, { force: true }));
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
    const next = textOf(days);
    await eventually(() => {
      const late = readdirSync(this.#processes).filter((pid) => isRunning(pid) && this.#reportOf(pid) !== next);
      expect(late).toEqual([]);
    });
  }

  #write(days: number): void {
    const next = `${this.#file}.next`;
    writeFileSync(next, textOf(days));
    // A process never reads half of it.
    renameSync(next, this.#file);
  }

  /** Null once the process has ended. */
  #reportOf(pid: string): string | null {
    try {
      return readFileSync(join(this.#processes, pid), 'utf8');
    } catch {
      return null;
    }
  }

  /** Removes the file. Processes that still run keep their clock. */
  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const textOf = (days: number) => String(days * DAY_MS);

/** False for a process that was killed, whose file stays. */
function isRunning(pid: string): boolean {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}
