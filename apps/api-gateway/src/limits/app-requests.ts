import { LIMITS } from '@settle/config';
import type { Reading } from '@settle/observability';

/** The outcomes of the requests of one app with a valid token. */
export interface AppCounts {
  admitted: number;
  /** By a rate limit, or because no slot was free. */
  refused: number;
}

const OTHERS = 'other';

/**
 * Counts requests for each app. The first `appsMeasured` apps of this process have counts of their own, all later ones
 * share those of `other`: a metric has a bounded number of label values, however many apps are registered.
 */
export class AppRequests {
  readonly #apps = new Map<string, AppCounts>();
  readonly #others: AppCounts = { admitted: 0, refused: 0 };

  of(appId: string): AppCounts {
    const known = this.#apps.get(appId);
    if (known !== undefined) return known;
    if (this.#apps.size >= LIMITS.gateway.appsMeasured) return this.#others;
    const counts = { admitted: 0, refused: 0 };
    this.#apps.set(appId, counts);
    return counts;
  }

  /** The metric `appRequests`. */
  reading(): Reading {
    return [...this.#apps, [OTHERS, this.#others] as const].flatMap(([app, { admitted, refused }]) => [
      [{ app, outcome: 'admitted' }, admitted] as const,
      [{ app, outcome: 'refused' }, refused] as const,
    ]);
  }
}
