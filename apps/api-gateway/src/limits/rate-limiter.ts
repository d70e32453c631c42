import { LIMITS, type RateLimit } from '@settle/config';

/** How a caller stands after a request. */
export interface Standing {
  /** Requests that may follow at once. */
  readonly remaining: number;
  /** Until the whole burst may be made again. */
  readonly fullInMs: number;
  /** Until one request may be made; 0: this one may. */
  readonly waitMs: number;
}

interface Caller {
  /** When, if nothing more is asked, the whole burst may be made again: all that a bucket of tokens has to remember. */
  fullAtMs: number;
}

/** Tolerance for the rounding errors of added fractions of a millisecond, in requests. */
const FORGIVEN_REQUESTS = 0.001;

/**
 * A token bucket for each caller: it holds `burst` requests and refills at `perSecond`. A refused request costs nothing.
 * A caller without a request for the time that an empty bucket takes to fill is forgotten: its bucket is full again.
 * With more than `callersCounted` callers in that time, the half that has been idle longest is forgotten early.
 */
export class RateLimiter {
  readonly #requestMs: number;
  readonly #burstMs: number;
  #seen = new Map<string, Caller>();
  #seenBefore = new Map<string, Caller>();
  #seenSinceMs = 0;

  /** @param nowMs a clock that never goes back, in milliseconds */
  constructor(
    { perSecond, burst }: RateLimit,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.#requestMs = 1_000 / perSecond;
    this.#burstMs = burst * this.#requestMs;
  }

  /** Counts a request of this caller, unless it is refused. */
  take(name: string): Standing {
    const nowMs = this.nowMs();
    const caller = this.#callerNamed(name, nowMs);
    const usedMs = Math.max(caller.fullAtMs - nowMs, 0);
    const overMs = usedMs + this.#requestMs - this.#burstMs;
    if (overMs > FORGIVEN_REQUESTS * this.#requestMs) return { remaining: 0, fullInMs: usedMs, waitMs: overMs };
    caller.fullAtMs = nowMs + usedMs + this.#requestMs;
    return {
      remaining: Math.floor(FORGIVEN_REQUESTS - overMs / this.#requestMs),
      fullInMs: usedMs + this.#requestMs,
      waitMs: 0,
    };
  }

  #callerNamed(name: string, nowMs: number): Caller {
    const known = this.#seen.get(name);
    if (known !== undefined) return known;
    this.#forgetUnseen(nowMs);
    const caller = this.#seenBefore.get(name) ?? { fullAtMs: nowMs };
    this.#seen.set(name, caller);
    return caller;
  }

  #forgetUnseen(nowMs: number): void {
    const isFull = this.#seen.size >= LIMITS.gateway.callersCounted / 2;
    if (!isFull && nowMs - this.#seenSinceMs < this.#burstMs) return;
    this.#seenBefore = this.#seen;
    this.#seen = new Map();
    this.#seenSinceMs = nowMs;
  }
}
