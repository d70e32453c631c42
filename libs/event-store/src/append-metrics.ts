import type { Metrics } from '@settle/observability';
import { START } from './event-store.js';

/** How units have ended since the start. */
export interface AppendCounts {
  stored: number;
  /** Somebody else was faster. */
  conflict: number;
  /** The store was away or full, or did not say. */
  failed: number;
}

export interface AppendStats {
  readonly counts: Readonly<AppendCounts>;
  /** Units that are not settled yet. */
  readonly waiting: number;
  /** Of the newest event known; `START` while none is. */
  readonly newestPosition: number;
}

export function registerAppendMetrics(metrics: Metrics, appends: () => AppendStats): void {
  metrics.show('eventStoreUnits', () =>
    Object.entries(appends().counts).map(([outcome, units]) => [{ outcome }, units] as const),
  );
  metrics.show('eventStoreUnitsWaiting', () => appends().waiting);
  metrics.show('eventStorePosition', () => {
    const { newestPosition } = appends();
    return newestPosition === START ? null : newestPosition;
  });
}
