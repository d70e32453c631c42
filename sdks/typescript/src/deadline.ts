import { ConnectionError } from './errors.js';

/** The end of the time for one call with all of its attempts. */
export class Deadline {
  readonly #endsAtMs: number;

  constructor(timeoutMs: number) {
    this.#endsAtMs = performance.now() + timeoutMs;
  }

  /** Returns the time left in whole ms, at least 0. */
  leftMs(): number {
    return Math.max(0, Math.ceil(this.#endsAtMs - performance.now()));
  }

  /** Returns the result of `work`. Errors: `ConnectionError` if it takes longer than the time left; those of `work`. */
  async bound<Result>(work: Promise<Result>): Promise<Result> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new ConnectionError('The time for the call is over.')), this.leftMs());
    });
    return Promise.race([work, end]).finally(() => clearTimeout(timer));
  }
}
