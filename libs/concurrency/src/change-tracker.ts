/**
 * Numbers the changes of what results are read from, so that a cache can tell whether a result is still current. The
 * process that makes every change records it after the commit and before it sends a response. Begins suspended.
 */
export class ChangeTracker {
  /** Number of the last change by key, of the keys that changed last and of those that changed before them. */
  #changedAt = new Map<string, number>();
  #changedEarlierAt = new Map<string, number>();
  #changes = 0;
  /** The last change of `#changedEarlierAt`. */
  #earlierUpTo = 0;
  /** Results that were read before this change are not current, whatever they depend on. */
  #allChangedAt = 0;
  #isSuspended = true;

  /** @param keysKept most keys whose changes are remembered one by one: at least the half of them that changed last */
  constructor(private readonly keysKept: number) {}

  /** Returns the number of the last change. Take it before a result is read. */
  get position(): number {
    return this.#changes;
  }

  /** Records a change of what belongs to these keys. */
  record(keys: Iterable<string>): void {
    this.#changes += 1;
    for (const key of keys) this.#changedAt.set(key, this.#changes);
    if (this.#changedAt.size >= this.keysKept / 2) this.#forgetEarlier();
  }

  /** A whole map at once: to delete keys one by one, so that the oldest stand first, costs more than all else here. */
  #forgetEarlier(): void {
    this.#allChangedAt = Math.max(this.#allChangedAt, this.#earlierUpTo);
    this.#changedEarlierAt = this.#changedAt;
    this.#earlierUpTo = this.#changes;
    this.#changedAt = new Map();
  }

  /** Records that anything may have changed. */
  recordAll(): void {
    this.#changes += 1;
    this.#allChangedAt = this.#changes;
    this.#changedAt = new Map();
    this.#changedEarlierAt = new Map();
  }

  /** Begins a time in which changes may go unnoticed: no result is current. */
  suspend(): void {
    this.#isSuspended = true;
  }

  /** Ends that time: results that are read from now on may be current. */
  resume(): void {
    if (!this.#isSuspended) return;
    this.#isSuspended = false;
    this.recordAll();
  }

  /** Returns whether a result that was read at a position is still what a read would return. */
  isCurrent({ readAt, dependsOn }: TrackedRead): boolean {
    if (this.#isSuspended || readAt < this.#allChangedAt) return false;
    return dependsOn.every((key) => (this.#changedAt.get(key) ?? this.#changedEarlierAt.get(key) ?? 0) <= readAt);
  }
}

export interface TrackedRead {
  /** Position of the tracker before the result was read. */
  readonly readAt: number;
  /** Keys of everything that the result was read from. */
  readonly dependsOn: readonly string[];
}
