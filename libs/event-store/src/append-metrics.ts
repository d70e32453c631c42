import type { Metrics } from '@settle/observability';
import { START } from './event-store.js';

/** Number of units since the start, by outcome. */
export interface AppendCounts {
  stored: number;
  /** Rejected with `RevisionConflict`. */
  conflict: number;
  /** The store was unavailable or its queue was full, or the outcome is unknown. */
  failed: number;
}

export interface AppendStats {
  readonly counts: Readonly<AppendCounts>;
  /** Units in progress. */
  readonly waiting: number;
  /** Position of the newest known event; `START` if there is none. */
  readonly newestPosition: number;
}

/** Registers the metrics of an event store. */
export function registerAppendMetrics(metrics: Metrics, appends: () => AppendStats): void {
  metrics.register('eventStoreUnits', () =>
    Object.entries(appends().counts).map(([outcome, units]) => [{ outcome }, units] as const),
  );
  metrics.register('eventStoreUnitsWaiting', () => appends().waiting);
  metrics.register('eventStorePosition', () => {
    const { newestPosition } = appends();
    return newestPosition === START ? null : newestPosition;
  });
}
