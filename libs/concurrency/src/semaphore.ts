export interface SemaphoreLimits {
  /** Most holders at a time. */
  readonly slots: number;
  /** Most callers that wait for a slot; by default any number. */
  readonly waiting?: number;
  /** Greatest total weight of the holders. A single holder is always admitted, whatever its weight. */
  readonly weight?: number;
}

interface Waiter {
  readonly weight: number;
  readonly deadlineMs: number;
  readonly timer: NodeJS.Timeout | undefined;
  readonly end: (isAdmitted: boolean) => void;
}

/** Limits how much runs at a time. Callers that find no slot wait in the order of their arrival. */
export class Semaphore {
  readonly #waiters = new Set<Waiter>();
  #whenIdle: (() => void)[] = [];
  #inUse = 0;
  #weightInUse = 0;

  constructor(private readonly limits: SemaphoreLimits) {}

  /** The number of callers that wait for a slot. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Whether a call of `acquire` would be refused at once. */
  get isQueueFull(): boolean {
    const { waiting = Infinity } = this.limits;
    return this.#inUse >= this.limits.slots && this.#waiters.size >= waiting;
  }

  /** Takes a slot if one is free and no caller waits. Returns whether it did. */
  tryAcquire(weight = 0): boolean {
    if (this.#waiters.size > 0 || !this.#hasRoomFor(weight)) return false;
    this.#occupy(weight);
    return true;
  }

  /** Resolves with true when a slot is taken; with false after `timeoutMs`, and at once if the queue is full. */
  acquire(timeoutMs = Infinity, weight = 0): Promise<boolean> {
    if (this.tryAcquire(weight)) return Promise.resolve(true);
    if (this.#waiters.size >= (this.limits.waiting ?? Infinity)) return Promise.resolve(false);
    return new Promise((resolve) => {
      const expire = () => {
        this.#end(waiter, false);
        this.#admitWaiters();
      };
      const waiter: Waiter = {
        weight,
        deadlineMs: performance.now() + timeoutMs,
        timer: timeoutMs === Infinity ? undefined : setTimeout(expire, timeoutMs),
        end: resolve,
      };
      this.#waiters.add(waiter);
    });
  }

  /** Gives a slot back, with the weight of its `acquire`. */
  release(weight = 0): void {
    this.#inUse -= 1;
    this.#weightInUse -= weight;
    this.#admitWaiters();
    if (this.#inUse > 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Resolves when no slot is in use and no caller waits. */
  idle(): Promise<void> {
    if (this.#inUse === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #admitWaiters(): void {
    for (const waiter of this.#waiters) {
      // Its timer is late.
      if (performance.now() >= waiter.deadlineMs) this.#end(waiter, false);
      else if (this.#hasRoomFor(waiter.weight)) {
        this.#occupy(waiter.weight);
        this.#end(waiter, true);
      } else return;
    }
  }

  #end(waiter: Waiter, isAdmitted: boolean): void {
    clearTimeout(waiter.timer);
    this.#waiters.delete(waiter);
    waiter.end(isAdmitted);
  }

  #hasRoomFor(weight: number): boolean {
    const { slots, weight: maxWeight = Infinity } = this.limits;
    return this.#inUse === 0 || (this.#inUse < slots && this.#weightInUse + weight <= maxWeight);
  }

  #occupy(weight: number): void {
    this.#inUse += 1;
    this.#weightInUse += weight;
  }
}
