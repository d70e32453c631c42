import { setTimeout as pause } from 'node:timers/promises';

const TICK_MS = 5;

export interface RateOptions {
  readonly perSecond: number;
  /** Called before each start. */
  readonly isOver: () => boolean;
  /** With so many in progress the next one waits, even if it is late. Without it none waits. */
  readonly mostUnderWay?: number;
}

export interface PacedRun {
  readonly begun: number;
  /** From the first start to the last. */
  readonly seconds: number;
  /** The rejections. */
  readonly failures: readonly unknown[];
}

/**
 * Starts one call after the other at a constant rate, without waiting for earlier ones, and catches up when it is late.
 * Resolves when `isOver` and each started call has ended.
 *
 * @param one receives the number of calls that started before it
 */
export async function runAtRate(
  { perSecond, isOver, mostUnderWay = Infinity }: RateOptions,
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
