/** Counts events of one kind and logs at most one line in an interval: a flood of events does not flood the log. */
export class ThrottledLog {
  #count = 0;
  #loggedAtMs = -Infinity;

  /** @param nowMs monotonic clock */
  constructor(
    private readonly everyMs: number,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** Records an event. Calls `log` with the number of events since the last line, unless that is too recent. */
  record(log: (count: number) => void): void {
    this.#count += 1;
    const nowMs = this.nowMs();
    if (nowMs - this.#loggedAtMs < this.everyMs) return;
    const count = this.#count;
    [this.#count, this.#loggedAtMs] = [0, nowMs];
    log(count);
  }
}
