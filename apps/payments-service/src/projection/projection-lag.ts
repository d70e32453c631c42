import { LIMITS } from '@settle/config';

const { lagMarkEveryMs, lagMarksKept } = LIMITS.payments;

interface Mark {
  readonly position: number;
  readonly sinceMs: number;
}

/** Measures how long the read models have been behind the positions that responses wait for. */
export class ProjectionLag {
  /** Samples of positions that are not reached yet, oldest first. */
  readonly #marks: Mark[] = [];

  /** @param nowMs monotonic clock */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Whether every sampled position is reached. */
  get isCaughtUp(): boolean {
    return this.#marks.length === 0;
  }

  /** Milliseconds since a response first waited for the oldest position that is not reached; 0 if all are. */
  get behindMs(): number {
    const [oldest] = this.#marks;
    return oldest === undefined ? 0 : this.nowMs() - oldest.sinceMs;
  }

  /** Records a position that a response waits for. */
  recordWait(position: number): void {
    const sinceMs = this.nowMs();
    const newest = this.#marks.at(-1);
    if (newest !== undefined && sinceMs - newest.sinceMs < lagMarkEveryMs) return;
    if (this.#marks.length < lagMarksKept) this.#marks.push({ position, sinceMs });
  }

  recordReached(position: number): void {
    const left = this.#marks.findIndex((mark) => mark.position > position);
    this.#marks.splice(0, left < 0 ? this.#marks.length : left);
  }
}
