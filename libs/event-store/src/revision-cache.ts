/**
 * Caches lower bounds of the newest revisions of streams; events are never deleted, so they stay valid. Keeps at least the
 * `capacity` most recently used streams, in two generations, which is cheaper than moving an entry at every use.
 */
export class RevisionCache {
  #recent = new Map<string, number>();
  #previous = new Map<string, number>();

  constructor(private readonly capacity: number) {}

  /** Returns the newest known revision; undefined if the stream is not cached. */
  get(stream: string): number | undefined {
    const recent = this.#recent.get(stream);
    if (recent !== undefined) return recent;
    const previous = this.#previous.get(stream);
    if (previous !== undefined) this.#store(stream, previous);
    return previous;
  }

  update(stream: string, revision: number): void {
    if (revision > (this.get(stream) ?? -1)) this.#store(stream, revision);
  }

  /** Forgets a stream whose events the log turned out not to have: a standby without the newest ones took over. */
  forget(stream: string): void {
    this.#recent.delete(stream);
    this.#previous.delete(stream);
  }

  #store(stream: string, revision: number): void {
    if (this.#recent.size >= this.capacity) {
      this.#previous = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(stream, revision);
  }
}
