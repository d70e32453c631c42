/** Files that are loaded on first use and then share one buffer among all requests, so that unread responses cost no memory. */
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
