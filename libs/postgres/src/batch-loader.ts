interface PendingLookup<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Loads rows by key, many in one query: keys that arrive while a query runs wait for the next query. Each value is read
 * after its key was requested.
 */
export class BatchLoader<Key, Value> {
  readonly #pending: PendingLookup<Key, Value>[] = [];
  #isReading = false;

  /**
   * @param maxKeysPerQuery most keys in one query
   * @param read returns the values of the keys, in the same order; null for a key without a value
   */
  constructor(
    private readonly maxKeysPerQuery: number,
    private readonly read: (keys: readonly Key[]) => Promise<readonly (Value | null)[]>,
  ) {}

  load(key: Key): Promise<Value | null> {
    const value = new Promise<Value | null>((resolve, reject) => this.#pending.push({ key, resolve, reject }));
    if (!this.#isReading) void this.#drain();
    return value;
  }

  async #drain(): Promise<void> {
    this.#isReading = true;
    // Keys that are requested in the same tick go into one query.
    await Promise.resolve();
    while (this.#pending.length > 0) await this.#loadBatch(this.#pending.splice(0, this.maxKeysPerQuery));
    this.#isReading = false;
  }

  async #loadBatch(batch: readonly PendingLookup<Key, Value>[]): Promise<void> {
    try {
      const values = await this.read(batch.map(({ key }) => key));
      batch.forEach(({ resolve }, index) => resolve(values[index] ?? null));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
