/** How long an append takes on a real server, by the number of appends under way, itself included. */
const MEASURED = [
  { underWay: 1, delayMs: 0.9 },
  { underWay: 16, delayMs: 4 },
  { underWay: 64, delayMs: 8 },
] as const;
const APPENDS_PER_MS = 6.5;

/** Returns the delay in milliseconds after which a real server responds to an append with this many under way. */
export function serverDelayMs(underWay: number): number {
  let from: { underWay: number; delayMs: number } = MEASURED[0];
  for (const to of MEASURED) {
    if (underWay <= to.underWay) {
      const share = to === from ? 0 : (underWay - from.underWay) / (to.underWay - from.underWay);
      return from.delayMs + share * (to.delayMs - from.delayMs);
    }
    from = to;
  }
  return from.delayMs + (underWay - from.underWay) / APPENDS_PER_MS;
}

/** Returns when the response is due, in milliseconds of the clock of `nowMs`: in order, and not faster than the server can. */
export function responseAtMs(nowMs: number, underWay: number, previousResponseAtMs: number): number {
  return Math.max(nowMs + serverDelayMs(underWay), previousResponseAtMs + 1 / APPENDS_PER_MS);
}
