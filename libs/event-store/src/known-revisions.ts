/**
 * Newest revisions that streams are known to have reached. A stored event never goes away, so what is known stays
 * true; it may only be less than what is stored. Keeps at least the `capacity` streams that were used last, in two
 * generations: cheaper than moving an entry at every use.
 */
export class KnownRevisions {
  #young = new Map<string, number>();
  #old = new Map<string, number>();

  constructor(private readonly capacity: number) {}

  /** The newest revision known, or undefined when nothing is known of the stream. */
  newest(stream: string): number | undefined {
    const young = this.#young.get(stream);
    if (young !== undefined) return young;
    const old = this.#old.get(stream);
    if (old !== undefined) this.#keep(stream, old);
    return old;
  }

  learn(stream: string, revision: number): void {
    if (revision > (this.newest(stream) ?? -1)) this.#keep(stream, revision);
  }

  #keep(stream: string, revision: number): void {
    if (this.#young.size >= this.capacity) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(stream, revision);
  }
}
