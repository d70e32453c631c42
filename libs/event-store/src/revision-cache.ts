/**
 * Newest revisions that streams are known to have reached. A stored event never goes away, so what is known stays
 * true; it may only be less than what is stored. Keeps at least the `capacity` streams that were used last, in two
 * generations: cheaper than moving an entry at every use.
 */
export class RevisionCache {
  #recent = new Map<string, number>();
  #previous = new Map<string, number>();

  constructor(private readonly capacity: number) {}

  /** The newest revision known, or undefined when nothing is known of the stream. */
  get(stream: string): number | undefined {
    const young = this.#recent.get(stream);
    if (young !== undefined) return young;
    const old = this.#previous.get(stream);
    if (old !== undefined) this.#store(stream, old);
    return old;
  }

  update(stream: string, revision: number): void {
    if (revision > (this.get(stream) ?? -1)) this.#store(stream, revision);
  }

  #store(stream: string, revision: number): void {
    if (this.#recent.size >= this.capacity) {
      this.#previous = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(stream, revision);
  }
}
