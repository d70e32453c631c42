/** How far one partition has been worked through. What is committed is the lowest offset that is not finished. */
export class PartitionProgress {
  /** In the order of their offsets, as a Set keeps what was added last behind. */
  readonly #unfinished = new Set<number>();
  readonly #waiters = new Set<{ readonly offset: number; readonly resolve: () => void }>();
  #next: number;
  #committed = 0;

  /** `startAt`: the offset of the first record that will come, if it is known. */
  constructor(startAt = 0) {
    this.#next = startAt;
  }

  /** One beyond the newest record that was begun. */
  get next(): number {
    return this.#next;
  }

  /** False when it was begun before: a rebalance makes Kafka send again what was not committed. */
  begin(offset: number): boolean {
    if (offset < this.#next) return false;
    this.#unfinished.add(offset);
    this.#next = offset + 1;
    return true;
  }

  finish(offset: number): void {
    this.#unfinished.delete(offset);
  }

  /** The offset to commit, null when it was committed already. */
  toCommit(): number | null {
    let lowest = this.#next;
    for (const first of this.#unfinished) {
      lowest = first;
      break;
    }
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

  /** Resolves once this record will not come again; never, if the partition goes to another instance before. */
  committed(offset: number): Promise<void> {
    return new Promise((resolve) => this.#waiters.add({ offset, resolve }));
  }
}
