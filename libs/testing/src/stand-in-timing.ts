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

/** Runs `act` at a time of `performance.now()`. More precise than a timer, which takes a whole millisecond at least. */
export function runAt(atMs: number, act: () => void): void {
  const leftMs = atMs - performance.now();
  if (leftMs <= 0) return act();
  if (leftMs >= 1) return void setTimeout(runAt, leftMs, atMs, act);
  // In slices, so that what arrives meanwhile is read.
  Atomics.wait(cell, 0, 0, Math.min(leftMs, SLICE_MS));
  setImmediate(runAt, atMs, act);
}
