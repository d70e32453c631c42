/** Contents that are read when first asked for, and then the same buffer for every request: answers that nobody reads cost no memory. */
export class KeptContents {
  readonly #contents = new Map<string, Promise<Buffer>>();

  /** Returns the content kept under a name. One that could not be read is read again the next time. */
  of(name: string, read: () => Promise<Buffer>): Promise<Buffer> {
    const kept = this.#contents.get(name);
    if (kept !== undefined) return kept;
    const content = read();
    this.#contents.set(name, content);
    content.catch(() => this.#contents.delete(name));
    return content;
  }
}
