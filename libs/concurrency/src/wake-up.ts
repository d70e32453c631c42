/** A wait that other tasks can end early. Only one task may wait at a time. */
export class WakeUp {
  #isPending = false;
  #resolve: (() => void) | null = null;

  /** @param keepsProcessAlive whether a process whose only work is the wait keeps running */
  constructor(private readonly keepsProcessAlive = true) {}

  /** Resolves after `ms` or at a call of `wake`, and at once if `wake` was called since the last wait or `clear`. */
  async wait(ms?: number): Promise<void> {
    if (!this.#isPending) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
        if (ms !== undefined) timer = setTimeout(resolve, ms);
        if (!this.keepsProcessAlive) timer?.unref();
      });
      clearTimeout(timer);
      this.#resolve = null;
    }
    this.#isPending = false;
  }

  wake(): void {
    this.#isPending = true;
    this.#resolve?.();
  }

  /** Forgets earlier calls of `wake`; call it before the work that they ask for. */
  clear(): void {
    this.#isPending = false;
  }
}
