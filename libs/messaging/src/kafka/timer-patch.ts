import { createRequire } from 'node:module';

/** The kafkajs version that this patch fits. The dependency is pinned to it, and a spec fails when it changes. */
export const PATCHED_VERSION = '2.2.4';

/** The interval at which kafkajs itself checks again whether it may send. */
const LOOK_AGAIN_MS = 10;

interface RequestQueue {
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  /** Milliseconds since 1970. */
  readonly throttledUntil: number;
  readonly pending: readonly unknown[];
  checkPendingRequests(): void;
}

/**
 * kafkajs arms a timer with a negative delay over and over on every connection: 2,700 times a second on three idle
 * ones, and a third more CPU. With this patch the timer is armed only if something waits for it.
 * @returns whether the installed kafkajs is the expected version
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
