import { NotSent } from './eventstoredb-errors.js';

interface Waiter {
  readonly bytes: number;
  readonly admit: () => void;
}

/** Limits the number and the total bytes of the appends in flight; further appends wait in order. */
export class AppendSemaphore {
  readonly #waiters = new Set<Waiter>();
  #appends = 0;
  #bytes = 0;

  constructor(private readonly limits: { readonly appendsInFlight: number; readonly bytesInFlight: number }) {}

  /** Resolves when the append may be sent. Error: `NotSent` after `timeoutMs`. */
  async acquire(bytes: number, timeoutMs: number): Promise<void> {
    if (this.#waiters.size === 0 && this.#hasRoomFor(bytes)) {
      this.#reserve(bytes);
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(waiter);
        reject(new NotSent());
        this.#admitWaiters();
      }, timeoutMs);
      const waiter = {
        bytes,
        admit: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.#waiters.add(waiter);
    });
  }

  release(bytes: number): void {
    this.#appends -= 1;
    this.#bytes -= bytes;
    this.#admitWaiters();
  }

  #admitWaiters(): void {
    for (const waiter of this.#waiters) {
      if (!this.#hasRoomFor(waiter.bytes)) return;
      this.#waiters.delete(waiter);
      this.#reserve(waiter.bytes);
      waiter.admit();
    }
  }

  /** A single append is always admitted, whatever its size. */
  #hasRoomFor(bytes: number): boolean {
    const { appendsInFlight, bytesInFlight } = this.limits;
    return this.#appends === 0 || (this.#appends < appendsInFlight && this.#bytes + bytes <= bytesInFlight);
  }

  #reserve(bytes: number): void {
    this.#appends += 1;
    this.#bytes += bytes;
  }
}
