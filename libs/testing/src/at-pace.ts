import { setTimeout as pause } from 'node:timers/promises';

const TICK_MS = 5;

export interface Pace {
  readonly perSecond: number;
  /** Asked before each begins. */
  readonly isOver: () => boolean;
  /** With so many under way the next one waits, however late that makes it; absent: it never does. */
  readonly mostUnderWay?: number;
}

export interface PacedRun {
  readonly begun: number;
  /** From the first to the last that was begun. */
  readonly seconds: number;
  /** What those rejected with that did not go well. */
  readonly failures: readonly unknown[];
}

/**
 * Begins one after the other at an even pace, whatever becomes of those before: what is late is made up for. Resolves
 * when it is over and each that was begun has ended.
 *
 * @param one is given how many were begun before it
 */
export async function atPace(
  { perSecond, isOver, mostUnderWay = Infinity }: Pace,
  one: (index: number) => Promise<unknown>,
): Promise<PacedRun> {
  const underWay = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  const startedAtMs = performance.now();
  const due = () => Math.floor(((performance.now() - startedAtMs) * perSecond) / 1_000);
  let begun = 0;
  while (!isOver()) {
    while (begun < due() && underWay.size < mostUnderWay) {
      const each = one(begun)
        .catch((error: unknown) => failures.push(error))
        .finally(() => underWay.delete(each));
      underWay.add(each);
      begun += 1;
    }
    await pause(TICK_MS);
  }
  const seconds = (performance.now() - startedAtMs) / 1_000;
  await Promise.all(underWay);
  return { begun, seconds, failures };
}
