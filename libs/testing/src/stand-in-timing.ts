/** How long an append takes on a real server, by the number of appends in flight, itself included. */
const MEASURED = [
  { inFlight: 1, delayMs: 0.9 },
  { inFlight: 16, delayMs: 4 },
  { inFlight: 64, delayMs: 8 },
] as const;
const APPENDS_PER_MS = 6.5;

/** Returns the delay in milliseconds after which a real server responds to an append with this many in flight. */
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

/** Returns when the response is due, in milliseconds of the clock of `nowMs`: in order, and not faster than the server can. */
export function responseAtMs(nowMs: number, inFlight: number, previousResponseAtMs: number): number {
  return Math.max(nowMs + serverDelayMs(inFlight), previousResponseAtMs + 1 / APPENDS_PER_MS);
}
