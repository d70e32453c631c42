interface Waiter {
  readonly position: number;
  readonly done: (isReached: boolean) => void;
}

/** Those who wait for the read models to pass a position. Each wait is bounded. */
export class PositionWaiters {
  #waiters = new Set<Waiter>();

  get isEmpty(): boolean {
    return this.#waiters.size === 0;
  }

  /** True once `passed` has been called with that position or a later one, false after `timeoutMs`. */
  wait(position: number, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => waiter.done(false), timeoutMs);
      const waiter: Waiter = {
        position,
        done: (isReached) => {
          clearTimeout(timer);
          this.#waiters.delete(waiter);
          resolve(isReached);
        },
      };
      this.#waiters.add(waiter);
    });
  }

  /** Tells those who wait for this position or an earlier one. */
  passed(position: number): void {
    for (const waiter of this.#waiters) if (waiter.position <= position) waiter.done(true);
  }

  /** Nothing more will be passed: nobody is left waiting. */
  release(): void {
    for (const waiter of this.#waiters) waiter.done(false);
  }
}
