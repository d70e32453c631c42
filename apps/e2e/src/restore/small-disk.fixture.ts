import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const FILLER_CHUNK = Buffer.alloc(1_048_576);

/** A disk of a fixed size, in memory, mounted on a folder. Mounting needs root on Linux. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  /** Mounts a disk on a folder that it creates. */
  static mount(folder: string, bytes: number): SmallDisk {
    mkdirSync(folder, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'pipe' });
    return new SmallDisk(folder);
  }

  /** Writes a file that takes all space that is left. */
  fill(): void {
    const file = openSync(this.#filler, 'a');
    try {
      // The last chunk is written in part, and then byte by byte nothing more fits.
      for (;;) writeSync(file, FILLER_CHUNK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  /** Removes the file that took the space. */
  free(): void {
    rmSync(this.#filler, { force: true });
  }

  unmount(): void {
    execFileSync('umount', ['--lazy', this.folder]);
  }

  get #filler(): string {
    return join(this.folder, 'filler');
  }
}
