import { PeriodicTask } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import { Lease } from '@settle/postgres';
import type { Pool } from 'pg';
import type { ChangeCursor } from '../provider/change-cursor.js';
import type { Clock } from '../storage/clock.js';
import { ProviderSilent, type ReadableProvider } from './change-attempts.js';
import { ChangeBatch } from './change-batch.js';
import type { ChangeHandler } from './change-handler.js';

const { changesEveryMs, changesRetryMinMs, changesRetryMaxMs, changePages } = LIMITS.provider;
const US_PER_MS = 1_000;

export interface ChangesReaderParts {
  readonly provider: Pick<ReadableProvider, 'changesAfter'>;
  readonly handler: Pick<ChangeHandler, 'apply' | 'giveUp'>;
  readonly cursor: ChangeCursor;
  /** Makes the provider asked soon about everything that waits for it. */
  readonly askAllSoon: () => Promise<void>;
  /** Pool of the lease. */
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
}

/**
 * Reads the provider's list of changes from the stored cursor to its end, at the start and every minute, in one instance at
 * a time. The cursor moves only once the log has what follows from a page, so that a page may be applied twice and none
 * is lost. When the provider is back after it was silent, it is soon asked about what waits: what never reached it is on no
 * list of changes.
 */
export class ChangesReader {
  readonly #lease: Lease;
  readonly #reading: PeriodicTask;
  readonly #batch: ChangeBatch;
  /** Null while another instance reads. */
  #fence: number | null = null;
  /** When the list was last at its end, or this instance began to read; microseconds since 1970. */
  #atEndUs = 0;
  /** The provider did not answer since everything was last asked soon. */
  #wasSilent = false;
  #leaseStart: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(private readonly parts: ChangesReaderParts) {
    const { pool, logger, isOnlyInstance } = parts;
    this.#batch = new ChangeBatch(parts.handler);
    this.#reading = new PeriodicTask({
      everyMs: changesEveryMs,
      retryMinMs: changesRetryMinMs,
      retryMaxMs: changesRetryMaxMs,
      run: async (signal) => (this.#fence === null ? undefined : this.read(this.#fence, signal)),
      onError: (err, retryInMs) => logger.warn({ err, retryInMs }, 'changes of the provider not applied; retrying'),
    });
    this.#lease = new Lease({
      ...{ pool, logger, isOnlyInstance },
      name: 'provider-changes',
      onHeld: (fence) => this.#begin(fence),
      onLost: () => (this.#fence = null),
    });
  }

  /** Does not wait for the database or the provider. */
  start(): void {
    if (this.#isStopped) return;
    this.#reading.start();
    this.#leaseStart = this.#lease.start();
  }

  /** Resolves after the page in progress; lets another instance read at once. */
  async stop(): Promise<void> {
    [this.#isStopped, this.#fence] = [true, null];
    await this.#reading.stop();
    await this.#leaseStart;
    await this.#lease.stop();
  }

  /** Time in ms since the list was last read to its end; null while another instance reads. */
  get behindMs(): number | null {
    return this.#fence === null ? null : (this.parts.clock.nowUs() - this.#atEndUs) / US_PER_MS;
  }

  /**
   * Reads up to the end of the list, at most a bounded number of pages; `repeat` if there may be more. Errors:
   * `ProviderSilent`; those of the database; that of a change that is not applied.
   * @param fence of the lease: a larger one takes the cursor
   */
  async read(fence: number, signal?: AbortSignal): Promise<'repeat' | undefined> {
    const { provider, cursor } = this.parts;
    let after = await cursor.claim(fence);
    for (let pages = 0; after !== undefined && pages < changePages; pages += 1) {
      if (signal?.aborted === true) return undefined;
      const page = await provider.changesAfter(after);
      const error = page === 'unknown' ? unanswered() : (await this.#batch.attempt(page.changes)).error;
      this.#wasSilent ||= error instanceof ProviderSilent;
      if (page === 'unknown' || error !== null) throw error;
      if (page.isEnd) return this.#end(fence);
      if (page.cursor === after) throw new Error('The list of changes does not go on after its cursor');
      after = (await cursor.moveTo(page.cursor, fence)) ? page.cursor : undefined;
    }
    return after === undefined ? undefined : 'repeat';
  }

  async #end(fence: number): Promise<undefined> {
    const { cursor, clock, askAllSoon } = this.parts;
    await cursor.markReadToEnd(fence);
    this.#atEndUs = clock.nowUs();
    if (this.#wasSilent) await askAllSoon();
    this.#wasSilent = false;
  }

  #begin(fence: number): void {
    this.#fence = fence;
    this.#atEndUs = this.parts.clock.nowUs();
    this.#reading.wake();
  }
}

function unanswered(): ProviderSilent {
  return new ProviderSilent('The list of changes was not answered');
}
