interface Waiting<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value | null) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Looks rows up by their keys, many in one query: while one is under way, whoever comes waits for the next. What is
 * answered was read after it was asked for.
 */
export class GatheredLookUp<Key, Value> {
  readonly #waiting: Waiting<Key, Value>[] = [];
  #isReading = false;

  /**
   * @param perQuery keys that one query looks up
   * @param read the values of these keys, in their order; null where there is none
   */
  constructor(
    private readonly perQuery: number,
    private readonly read: (keys: readonly Key[]) => Promise<readonly (Value | null)[]>,
  ) {}

  find(key: Key): Promise<Value | null> {
    const found = new Promise<Value | null>((resolve, reject) => this.#waiting.push({ key, resolve, reject }));
    if (!this.#isReading) void this.#readAll();
    return found;
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    // What is asked for in the same turn goes into the same query.
    await Promise.resolve();
    while (this.#waiting.length > 0) await this.#readNext(this.#waiting.splice(0, this.perQuery));
    this.#isReading = false;
  }

  async #readNext(asked: readonly Waiting<Key, Value>[]): Promise<void> {
    try {
      const values = await this.read(asked.map(({ key }) => key));
      asked.forEach(({ resolve }, at) => resolve(values[at] ?? null));
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
