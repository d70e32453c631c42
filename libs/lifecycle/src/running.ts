/** Something that was started and can be stopped. */
export interface Stoppable {
  readonly name: string;
  stop(): Promise<void>;
}

/** The start was called off by a signal. */
export class StartInterrupted extends Error {
  constructor() {
    super('Stopped while it was starting');
    this.name = 'StartInterrupted';
  }
}

/** What runs, in the order in which it was started; stopped in the reverse order. */
export class Running {
  readonly #parts: Stoppable[] = [];
  #failure: Error | null = null;
  #tellFailure: (failure: Error) => void = () => undefined;
  #isInterrupted = false;
  #stopping: string | null = null;

  /** Why it can't go on, if it can't. */
  get failure(): Error | null {
    return this.#failure;
  }

  /** A part can't go on: nothing more is started, and `untilFailed` rejects. The first failure counts. */
  fail(error: Error): void {
    this.interrupt();
    this.#failure ??= error;
    this.#tellFailure(this.#failure);
  }

  /** Rejects with the first failure. */
  untilFailed(): Promise<never> {
    return new Promise((_resolve, reject) => {
      this.#tellFailure = reject;
      if (this.#failure !== null) reject(this.#failure);
    });
  }

  /** The part that is being stopped. */
  get stopping(): string | null {
    return this.#stopping;
  }

  /** From now on nothing more is started. */
  interrupt(): void {
    this.#isInterrupted = true;
  }

  /** Remembers a part. Throws `StartInterrupted`, the part being remembered, when the start was called off. */
  add(name: string, stop: () => Promise<void>): void {
    this.#parts.push({ name, stop });
    if (this.#isInterrupted) throw new StartInterrupted();
  }

  /** Stops every part, the youngest first. One that fails is told to `onError` and keeps none of the others. */
  async stop(onError: (name: string, error: unknown) => void): Promise<void> {
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      const { name } = part;
      this.#stopping = name;
      await part.stop().catch((error: unknown) => onError(name, error));
    }
    this.#stopping = null;
  }
}
