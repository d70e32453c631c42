import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyedMutex } from '@settle/concurrency';
import { isProcessAlive, processIdentity } from '@settle/launching';

/** Stores the running processes on disk, for a start after a kill. */
export class ProcessNotes {
  readonly #identities = new Map<number, string>();
  readonly #writes = new KeyedMutex();

  private constructor(private readonly file: string) {}

  /** @param dataDir holds them in `processes.json` */
  static in(dataDir: string): ProcessNotes {
    return new ProcessNotes(join(dataDir, 'processes.json'));
  }

  /** Kills what an earlier run has left, and says how many those were. Before anything is noted. */
  async endLeftovers(): Promise<number> {
    const text = await readFile(this.file, 'utf8').catch(() => '[]');
    let ended = 0;
    for (const identity of JSON.parse(text) as string[]) {
      if (!(await isProcessAlive(identity))) continue;
      process.kill(Number(identity.split(' ')[0]), 'SIGKILL');
      ended += 1;
    }
    return ended;
  }

  async add(pid: number): Promise<void> {
    this.#identities.set(pid, await processIdentity(pid));
    await this.#write();
  }

  async remove(pid: number): Promise<void> {
    this.#identities.delete(pid);
    await this.#write();
  }

  #write(): Promise<void> {
    return this.#writes.run(this.file, async () => {
      await writeFile(`${this.file}.new`, JSON.stringify([...this.#identities.values()]));
      await rename(`${this.file}.new`, this.file);
    });
  }
}
