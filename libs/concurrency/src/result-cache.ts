import type { ChangeTracker, TrackedRead } from './change-tracker.js';

export interface ReadResult<Result> {
  readonly result: Result;
  /** Keys of everything that the result was read from. */
  readonly dependsOn: readonly string[];
  /** Estimated size. */
  readonly bytes: number;
}

export interface ResultCacheLimits {
  readonly results: number;
  /** Estimated size of all results together. */
  readonly bytes: number;
}

type Kept<Result> = TrackedRead & ReadResult<Result>;

/** Keeps results of reads, those that were used last, while nothing that they were read from changes. */
export class ResultCache<Result> {
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept<Result>>();
  #bytes = 0;

  constructor(
    private readonly changes: ChangeTracker,
    private readonly limits: ResultCacheLimits,
  ) {}

  /**
   * Returns the kept result, the same object each time, or reads it. A result that changed while it was read is not kept.
   * Errors: those of `read`.
   * @param name of the question
   */
  async get(name: string, read: () => Promise<ReadResult<Result>>): Promise<Result> {
    const kept = this.#kept.get(name);
    if (kept !== undefined) {
      this.#remove(name, kept);
      if (this.changes.isCurrent(kept)) {
        this.#add(name, kept);
        return kept.result;
      }
    }
    const readAt = this.changes.position;
    const fresh = { ...(await read()), readAt };
    if (this.changes.isCurrent(fresh)) this.#keep(name, fresh);
    return fresh.result;
  }

  #keep(name: string, fresh: Kept<Result>): void {
    const other = this.#kept.get(name);
    if (other !== undefined) this.#remove(name, other);
    this.#add(name, fresh);
    while (this.#kept.size > this.limits.results || this.#bytes > this.limits.bytes) {
      const [oldest] = this.#kept;
      if (oldest === undefined) break;
      this.#remove(...oldest);
    }
  }

  #add(name: string, kept: Kept<Result>): void {
    this.#kept.set(name, kept);
    this.#bytes += kept.bytes;
  }

  #remove(name: string, { bytes }: Kept<Result>): void {
    this.#kept.delete(name);
    this.#bytes -= bytes;
  }
}
