/** Gives the time in microseconds since 1970, each time later than the one before. */
export class Clock {
  #lastUs = 0;

  /** @param nowMs milliseconds since 1970; specs move it */
  constructor(private readonly nowMs: () => number = Date.now) {}

  nowUs(): number {
    this.#lastUs = Math.max(this.nowMs() * 1000, this.#lastUs + 1);
    return this.#lastUs;
  }

  /** Returns the time of the machine in milliseconds, which can go back: for what other machines compare with their time. */
  machineMs(): number {
    return this.nowMs();
  }
}
