/** Runs one task at a time for each key, in the order of arrival. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Whether a task of this key runs or waits. */
  isLocked(key: string): boolean {
    return this.#last.has(key);
  }

  run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const previous = this.#last.get(key);
    const running = previous === undefined ? task() : previous.then(task, task);
    this.#last.set(key, running);
    const release = () => {
      if (this.#last.get(key) === running) this.#last.delete(key);
    };
    running.then(release, release);
    return running;
  }
}
