/** The pauses of a loop that runs until it is stopped: each can be cut short, and after the end none is made. */
export class Pauses {
  #hasEnded = false;
  #cut: () => void = () => undefined;

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Resolves after the time, or earlier when cut short; at once after the end. One pause at a time. */
  pause(durationMs: number): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, durationMs);
      this.#cut = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  cut(): void {
    this.#cut();
  }

  end(): void {
    this.#hasEnded = true;
    this.#cut();
  }
}
