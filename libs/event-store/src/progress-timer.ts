/** Knows when a handler that gets no events is due to receive the position of its subscription. */
export class ProgressTimer {
  #position: number;
  /** Time of the last delivery, on the clock of `performance.now()`. */
  #deliveredAtMs = performance.now();

  /**
   * @param position at which the subscription starts
   * @param progressAfterMs as in the options of the subscription
   */
  constructor(
    position: number,
    private readonly progressAfterMs: number | undefined,
  ) {
    this.#position = position;
  }

  /** Records that the handler has received everything up to a position. */
  delivered(position: number): void {
    this.#position = position;
    this.#deliveredAtMs = performance.now();
  }

  /** Returns the time in ms until the handler is due to receive this position, 0 if it is now; undefined if it is not due at all. */
  dueInMs(position: number): number | undefined {
    if (this.progressAfterMs === undefined || position <= this.#position) return undefined;
    return Math.max(0, this.#deliveredAtMs + this.progressAfterMs - performance.now());
  }
}
