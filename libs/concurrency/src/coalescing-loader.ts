interface PendingLoad<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Loads values by key, many at a time: keys that are requested in the same turn or during a load are loaded together.
 * Each value is read after its key was requested, and nothing is cached.
 */
export class CoalescingLoader<Key, Value> {
  readonly #pending: PendingLoad<Key, Value>[] = [];
  #draining: Promise<void> | null = null;

  /**
   * @param maxKeys most keys in one load
   * @param loadAll returns the values of the keys, in the same order; null for a key without a value
   */
  constructor(
    private readonly maxKeys: number,
    private readonly loadAll: (keys: readonly Key[]) => Promise<readonly (Value | null)[]>,
  ) {}

  /** Number of keys that wait for the next loads. */
  get waiting(): number {
    return this.#pending.length;
  }

  /** Errors: those of `loadAll`. */
  load(key: Key): Promise<Value | null> {
    const value = new Promise<Value | null>((resolve, reject) => this.#pending.push({ key, resolve, reject }));
    this.#draining ??= this.#drain();
    return value;
  }

  /** Resolves when no key waits and no load is in progress. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    await Promise.resolve();
    while (this.#pending.length > 0) await this.#loadBatch(this.#pending.splice(0, this.maxKeys));
    this.#draining = null;
  }

  async #loadBatch(batch: readonly PendingLoad<Key, Value>[]): Promise<void> {
    try {
      const values = await this.loadAll(batch.map(({ key }) => key));
      batch.forEach(({ resolve }, index) => resolve(values[index] ?? null));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
