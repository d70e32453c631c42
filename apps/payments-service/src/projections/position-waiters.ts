interface Waiter {
  readonly position: number;
  readonly done: (isReached: boolean) => void;
}

/** Those who wait for the read models to pass a position. Each wait is bounded. */
export class PositionWaiters {
  #waiters = new Set<Waiter>();

  /** True once `reached` has been called with that position or a later one, false after `timeoutMs`. */
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

  reached(position: number): void {
    for (const waiter of this.#waiters) if (waiter.position <= position) waiter.done(true);
  }

  /** Nothing more will be reached. */
  release(): void {
    for (const waiter of this.#waiters) waiter.done(false);
  }
}
