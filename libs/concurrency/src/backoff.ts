export interface BackoffLimits {
  /** Longest pause after the first failure; it doubles with each further failure. */
  readonly minPauseMs: number;
  readonly maxPauseMs: number;
}

/** The pauses between attempts. Half of each is random, so that instances that failed together do not retry together. */
export class Backoff {
  #longestMs: number;

  constructor(private readonly limits: BackoffLimits) {
    this.#longestMs = limits.minPauseMs;
  }

  /** Returns the next pause in ms. */
  next(): number {
    const pauseMs = Math.round(this.#longestMs * (0.5 + Math.random() / 2));
    this.#longestMs = Math.min(this.#longestMs * 2, this.limits.maxPauseMs);
    return pauseMs;
  }

  /** The work succeeded: the next pause is a short one. */
  reset(): void {
    this.#longestMs = this.limits.minPauseMs;
  }
}
