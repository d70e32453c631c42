import { LIMITS } from '@settle/config';

const BEGUN_TO_GIVEN_UP_MS = LIMITS.gateway.commandGiveUpMs - LIMITS.gateway.commandBeginMs;

/**
 * Returns when a command stores nothing more, because its caller may already have been answered. Both are Unix times in ms.
 * @param beginBeforeMs when it must have begun
 */
export function computeGiveUpAtMs(beginBeforeMs: number): number {
  return beginBeforeMs + BEGUN_TO_GIVEN_UP_MS;
}
