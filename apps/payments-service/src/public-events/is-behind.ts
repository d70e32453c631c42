import { LIMITS } from '@settle/config';
import type { StoredEvent } from '@settle/event-store';
import { timeUsOf } from '../storage/streams.js';

/** Returns whether the newest of these events is so old that the next batch must not wait. False for no events. */
export function isBehind(events: readonly StoredEvent[], nowUs: number): boolean {
  const newest = events.at(-1);
  return newest !== undefined && nowUs - timeUsOf(newest) >= LIMITS.publishing.behindAfterMs * 1_000;
}
