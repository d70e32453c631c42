import type { Metrics } from '@settle/observability';
import type { LogContinuity } from './log-continuity.js';

/** Number of units since the start, by outcome. */
export interface AppendCounts {
  stored: number;
  /** Rejected with `RevisionConflict`. */
  conflict: number;
  /** The store was unavailable or its queue was full, or the outcome is unknown. */
  failed: number;
}

/** Registers the metrics of an event store: its units, and the position of the newest event that it has seen. */
export function registerAppendMetrics(
  metrics: Metrics,
  continuity: LogContinuity,
  units: { readonly counts: AppendCounts; readonly waiting: number },
): void {
  metrics.register('eventStoreUnits', () =>
    Object.entries(units.counts).map(([outcome, count]) => [{ outcome }, count] as const),
  );
  metrics.register('eventStoreUnitsWaiting', () => units.waiting);
  metrics.register('eventStorePosition', () => continuity.newest?.position ?? null);
}
