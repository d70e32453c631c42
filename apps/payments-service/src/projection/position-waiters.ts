interface Waiter {
  readonly position: number;
  readonly done: (isReached: boolean) => void;
}

/** Bounded waits for the read models to reach a position. */
export class PositionWaiters {
  #waiters = new Set<Waiter>();

  get isEmpty(): boolean {
    return this.#waiters.size === 0;
  }

  /** Resolves with true once `notify` is called with this position or a later one, with false after `timeoutMs`. */
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

  /** Ends the waits for this position and earlier ones. */
  notify(position: number): void {
    for (const waiter of this.#waiters) if (waiter.position <= position) waiter.done(true);
  }

  /** Ends all waits with false. */
  release(): void {
    for (const waiter of this.#waiters) waiter.done(false);
  }
}
