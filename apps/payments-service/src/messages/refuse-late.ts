import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';

/** Refuses a command whose sender has given up. Error: `service_unavailable`. @param beginBeforeMs Unix time in ms */
export function refuseLate(beginBeforeMs: number): void {
  if (Date.now() <= beginBeforeMs) return;
  const seconds = LIMITS.gateway.commandBeginMs / 1_000;
  throw new SettleError(
    'service_unavailable',
    `It waited longer than ${seconds} s, so nothing was begun. Send it again.`,
  );
}
