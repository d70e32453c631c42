/** How long an append takes for the client of a real server, by the number of appends in flight, itself included. */
const MEASURED = [
  { inFlight: 1, delayMs: 0.9 },
  { inFlight: 16, delayMs: 4 },
  { inFlight: 64, delayMs: 8 },
] as const;
const APPENDS_PER_MS = 6.5;
/** How long a single append takes for the client of the stand-in without a delay: most of it in the client library. */
const WITHOUT_DELAY_MS = 0.45;

/** Returns the delay in milliseconds after which the client has the response of a real server, with this many appends in flight. */
export function serverDelayMs(inFlight: number): number {
  let from: { inFlight: number; delayMs: number } = MEASURED[0];
  for (const to of MEASURED) {
    if (inFlight <= to.inFlight) {
      const share = to === from ? 0 : (inFlight - from.inFlight) / (to.inFlight - from.inFlight);
      return from.delayMs + share * (to.delayMs - from.delayMs);
    }
    from = to;
  }
  return from.delayMs + (inFlight - from.inFlight) / APPENDS_PER_MS;
}

/** Returns when to respond, in milliseconds of the clock of `nowMs`: in order, and not faster than the server can. */
export function responseAtMs(nowMs: number, inFlight: number, previousResponseAtMs: number): number {
  const delayMs = serverDelayMs(inFlight) - WITHOUT_DELAY_MS;
  return Math.max(nowMs + delayMs, previousResponseAtMs + 1 / APPENDS_PER_MS);
}

const cell = new Int32Array(new SharedArrayBuffer(4));
const SLICE_MS = 0.1;

interface TimedAction {
  readonly atMs: number;
  readonly act: () => void;
}

/**
 * Runs actions at their times, in order. More precise than timers, which take a whole millisecond at least and run those of
 * the same millisecond in any order.
 */
export class TimedQueue {
  readonly #actions: TimedAction[] = [];

  /** @param atMs time of `performance.now()`, not before that of the action added last */
  add(atMs: number, act: () => void): void {
    this.#actions.push({ atMs, act });
    if (this.#actions.length === 1) this.#runDue();
  }

  readonly #runDue = (): void => {
    for (let [head] = this.#actions; head !== undefined; [head] = this.#actions) {
      const leftMs = head.atMs - performance.now();
      if (leftMs > 0) return this.#wait(leftMs);
      // It stays the head meanwhile: an action that it adds does not start a second run.
      head.act();
      this.#actions.shift();
    }
  };

  #wait(leftMs: number): void {
    if (leftMs >= 1) return void setTimeout(this.#runDue, leftMs);
    // In slices, so that what arrives meanwhile is read.
    Atomics.wait(cell, 0, 0, Math.min(leftMs, SLICE_MS));
    setImmediate(this.#runDue);
  }
}
