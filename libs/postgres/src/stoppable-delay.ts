/** The delay of a loop. It can be interrupted; after `stop` there is no further delay. */
export class StoppableDelay {
  #isStopped = false;
  #interrupt: () => void = () => undefined;

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Resolves after the time or when interrupted, and at once after `stop`. Only one caller may wait at a time. */
  wait(durationMs: number): Promise<void> {
    if (this.#isStopped) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, durationMs);
      this.#interrupt = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  interrupt(): void {
    this.#interrupt();
  }

  stop(): void {
    this.#isStopped = true;
    this.#interrupt();
  }
}
