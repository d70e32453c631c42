/** More timeouts in a row stop the waiting. */
const MOST_TIMEOUTS = 5;
const PAUSE_MS = 10_000;

/** Whether commands wait for the provider: not for a while after several of them have waited in vain. */
export interface WaitBreaker {
  readonly timeoutsInRow: number;
  /** No command waits before this Unix time in ms. */
  readonly noWaitUntilMs: number;
}

export const NO_TIMEOUTS: WaitBreaker = { timeoutsInRow: 0, noWaitUntilMs: 0 };

/** Returns whether a command may wait now. */
export function mayWait({ noWaitUntilMs }: WaitBreaker, nowMs: number): boolean {
  return nowMs >= noWaitUntilMs;
}

/** Returns the breaker after a wait. Only an answer in time ends a row of timeouts, so that one more timeout stops the next waits. */
export function afterWait({ timeoutsInRow }: WaitBreaker, isTimeout: boolean, nowMs: number): WaitBreaker {
  if (!isTimeout) return NO_TIMEOUTS;
  const row = timeoutsInRow + 1;
  return { timeoutsInRow: row, noWaitUntilMs: row >= MOST_TIMEOUTS ? nowMs + PAUSE_MS : 0 };
}
