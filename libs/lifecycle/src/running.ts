/** A signal canceled the start. */
export class StartInterrupted extends Error {
  constructor() {
    super('Stopped while it was starting');
    this.name = 'StartInterrupted';
  }
}

/** The running parts in the order of their start; stopped in reverse order. */
export class Running {
  readonly #parts: { readonly name: string; readonly stop: () => Promise<void> }[] = [];
  readonly #failed = Promise.withResolvers<never>();
  #failure: Error | null = null;
  readonly #interrupted = Promise.withResolvers<void>();
  #isInterrupted = false;
  #stopping: string | null = null;

  constructor() {
    // A failure may come before anything waits for it.
    this.#failed.promise.catch(() => undefined);
  }

  /** The failure that ends the process; null if there is none. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** Records a failure: nothing more is started, and `untilFailed` rejects. The first failure counts. */
  fail(error: Error): void {
    this.interrupt();
    this.#failure ??= error;
    this.#failed.reject(this.#failure);
  }

  /** Rejects with the first failure. */
  untilFailed(): Promise<never> {
    return this.#failed.promise;
  }

  /** Name of the part that is being stopped. */
  get stopping(): string | null {
    return this.#stopping;
  }

  /** From now on nothing more is started. */
  interrupt(): void {
    this.#isInterrupted = true;
    this.#interrupted.resolve();
  }

  /** Resolves at the first signal or failure. */
  untilInterrupted(): Promise<void> {
    return this.#interrupted.promise;
  }

  /** Adds a part. Throws `StartInterrupted`, after adding it, if the start was canceled. */
  add(name: string, stop: () => Promise<void>): void {
    this.#parts.push({ name, stop });
    if (this.#isInterrupted) throw new StartInterrupted();
  }

  /**
   * Stops every part, in reverse order. A failure is passed to `onError` and does not keep the others from stopping.
   */
  async stop(onError: (name: string, error: unknown) => void): Promise<void> {
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      const { name } = part;
      this.#stopping = name;
      await part.stop().catch((error: unknown) => onError(name, error));
    }
    this.#stopping = null;
  }
}
