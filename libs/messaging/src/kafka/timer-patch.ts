import { createRequire } from 'node:module';

/** The version whose inside is known. The dependency is pinned to it, and a spec fails when it moves. */
export const PATCHED_VERSION = '2.2.4';

/** As often as kafkajs itself looks again when it may not send yet. */
const LOOK_AGAIN_MS = 10;

interface RequestQueue {
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  /** Milliseconds since 1970. */
  readonly throttledUntil: number;
  readonly pending: readonly unknown[];
  checkPendingRequests(): void;
}

/**
 * kafkajs arms a timer of a negative delay over and over on every connection: 2,700 a second on three idle ones, and a
 * third more work than there is. With this the timer is armed only when something waits for it.
 * @returns whether the installed kafkajs is the one that is known
 */
export function calmIdleTimers(): boolean {
  const require = createRequire(import.meta.url);
  const { version } = require('kafkajs/package.json') as { readonly version: string };
  if (version !== PATCHED_VERSION) return false;
  const { prototype } = require('kafkajs/src/network/requestQueue') as { readonly prototype: object };
  Object.assign(prototype, {
    scheduleCheckPendingRequests(this: RequestQueue): void {
      if (this.throttleCheckTimeoutId !== null && this.throttleCheckTimeoutId !== undefined) return;
      const throttledMs = this.throttledUntil - Date.now();
      if (throttledMs <= 0 && this.pending.length === 0) return;
      const look = (): void => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      };
      this.throttleCheckTimeoutId = setTimeout(look, throttledMs > 0 ? throttledMs : LOOK_AGAIN_MS);
    },
  });
  return true;
}
