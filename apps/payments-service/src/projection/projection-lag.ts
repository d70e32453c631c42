import { LIMITS } from '@settle/config';

const { lagMarkEveryMs, lagMarksKept } = LIMITS.payments;

interface Mark {
  readonly position: number;
  readonly sinceMs: number;
}

/** Measures how long the read models have been behind the positions that answers wait for. */
export class ProjectionLag {
  /** Positions not reached yet, oldest first, one in a while: enough to know how old the oldest is. */
  readonly #marks: Mark[] = [];

  /** @param nowMs a clock that only goes forwards */
  constructor(private readonly nowMs: () => number = () => performance.now()) {}

  /** Whether every position that was noted is reached. */
  get isNone(): boolean {
    return this.#marks.length === 0;
  }

  /** How long ago the oldest position was first waited for that is not reached; 0 when there is none. */
  get behindMs(): number {
    const [oldest] = this.#marks;
    return oldest === undefined ? 0 : this.nowMs() - oldest.sinceMs;
  }

  /** To be told of every position that is not reached when an answer needs it. */
  needs(position: number): void {
    const sinceMs = this.nowMs();
    const newest = this.#marks.at(-1);
    if (newest !== undefined && sinceMs - newest.sinceMs < lagMarkEveryMs) return;
    if (this.#marks.length < lagMarksKept) this.#marks.push({ position, sinceMs });
  }

  reached(position: number): void {
    const left = this.#marks.findIndex((mark) => mark.position > position);
    this.#marks.splice(0, left < 0 ? this.#marks.length : left);
  }
}
