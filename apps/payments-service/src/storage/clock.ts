/** So far may the given times be ahead of the machine's clock: many can be given in one of its milliseconds. */
const AHEAD_US = 1_000_000;

/**
 * Gives the time in microseconds since 1970, each time later than the one before. After the machine's clock went back the time
 * passes at half its speed until that clock has caught up: work that is due after a while does not wait for it.
 */
export class Clock {
  #lastUs = 0;
  /** When the last time was given, while the machine's clock is behind. */
  #givenAtMs: number | null = null;

  /**
   * @param nowMs milliseconds since 1970; specs move it
   * @param elapsedMs milliseconds since any moment, on a clock that never goes back
   */
  constructor(
    private readonly nowMs: () => number = Date.now,
    private readonly elapsedMs: () => number = () => performance.now(),
  ) {}

  nowUs(): number {
    const machineUs = this.nowMs() * 1_000;
    const isAhead = this.#lastUs - machineUs > AHEAD_US;
    const passedUs = isAhead ? this.#halfOfPassedUs() : 1;
    if (!isAhead) this.#givenAtMs = null;
    this.#lastUs = Math.max(machineUs, this.#lastUs + Math.max(1, passedUs));
    return this.#lastUs;
  }

  #halfOfPassedUs(): number {
    const nowMs = this.elapsedMs();
    const passedMs = nowMs - (this.#givenAtMs ?? nowMs);
    this.#givenAtMs = nowMs;
    return Math.floor(passedMs * 500);
  }
}
