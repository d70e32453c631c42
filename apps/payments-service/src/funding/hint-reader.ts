import { PeriodicTask } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { ProviderHints } from '../provider/provider-hints.js';
import { ProviderSilent } from './change-attempts.js';
import { ChangeBatch, type ChangeEnd } from './change-batch.js';
import type { ChangeHandler } from './change-handler.js';

const { hintsPerBatch, changesEveryMs, changesRetryMinMs, changesRetryMaxMs } = LIMITS.provider;

interface HintReaderParts {
  readonly hints: ProviderHints;
  readonly handler: Pick<ChangeHandler, 'apply' | 'giveUp'>;
  readonly logger: Logger;
}

/**
 * Applies the objects that callbacks name, as soon as one is stored here. A hint only brings a change forward: one that
 * cannot be applied is left to the list of changes.
 */
export class HintReader {
  readonly #rounds: PeriodicTask;
  readonly #batch: ChangeBatch;

  constructor(private readonly parts: HintReaderParts) {
    const { handler, logger } = parts;
    this.#batch = new ChangeBatch({
      apply: (change) => handler.apply(change),
      giveUp: async ({ kind, key }, err) =>
        logger.warn({ err, kind, key }, 'a callback is given up; the list of changes has it, unless an operator asked'),
    });
    this.#rounds = new PeriodicTask({
      everyMs: changesEveryMs,
      retryMinMs: changesRetryMinMs,
      retryMaxMs: changesRetryMaxMs,
      run: () => this.readBatch(),
      onError: (err, retryInMs) => logger.warn({ err, retryInMs }, 'callbacks of the provider not applied; retrying'),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Resolves after the batch in progress. */
  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** A callback was stored. */
  wake(): void {
    this.#rounds.wake();
  }

  /**
   * Applies one batch of the oldest hints, and removes those that are given up; `repeat` if there may be more. A hint that
   * fails is tried again in the next rounds, and does not delay newer ones. Errors: `ProviderSilent`; those of the database.
   */
  async readBatch(): Promise<'repeat' | undefined> {
    const { hints, logger } = this.parts;
    const found = await hints.unhandled(hintsPerBatch);
    if (found.length === 0) return undefined;
    const { error, endOf } = await this.#batch.attempt(found);
    const idsOf = (end: ChangeEnd) => found.filter((hint) => endOf(hint) === end).map(({ id }) => id);
    const [applied, givenUp] = [idsOf('applied'), idsOf('given up')];
    if (applied.length > 0) await hints.markHandled(applied);
    if (givenUp.length > 0) await hints.remove(givenUp);
    this.#batch.forgetEnded();
    if (error instanceof ProviderSilent) throw error;
    if (error !== null)
      logger.warn({ err: error }, 'a callback cannot be applied yet; the list of changes has it, too');
    return applied.length + givenUp.length === hintsPerBatch ? 'repeat' : undefined;
  }
}
