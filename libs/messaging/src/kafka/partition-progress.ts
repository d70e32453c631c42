/** Progress in one partition. The lowest unfinished offset is committed. */
export class PartitionProgress {
  /** In offset order: a Set iterates in the order of insertion. */
  readonly #unfinished = new Set<number>();
  readonly #waiters = new Set<{ readonly offset: number; readonly resolve: () => void }>();
  #next: number;
  #committed = 0;

  /** `startAt`: offset of the first expected record, if known. */
  constructor(startAt = 0) {
    this.#next = startAt;
  }

  /** Offset after the newest record that was begun. */
  get next(): number {
    return this.#next;
  }

  /** Returns false if the record was begun before: after a rebalance Kafka delivers uncommitted records again. */
  begin(offset: number): boolean {
    if (offset < this.#next) return false;
    this.#unfinished.add(offset);
    this.#next = offset + 1;
    return true;
  }

  finish(offset: number): void {
    this.#unfinished.delete(offset);
  }

  /** Returns the offset to commit; null if it is committed already. */
  toCommit(): number | null {
    const [lowest = this.#next] = this.#unfinished;
    return lowest > this.#committed ? lowest : null;
  }

  onCommitted(offset: number): void {
    this.#committed = offset;
    for (const waiter of this.#waiters) {
      if (waiter.offset >= offset) continue;
      this.#waiters.delete(waiter);
      waiter.resolve();
    }
  }

  /** Resolves once this record cannot be delivered again; never, if the partition is reassigned before. */
  committed(offset: number): Promise<void> {
    return new Promise((resolve) => this.#waiters.add({ offset, resolve }));
  }
}
