import type { Logger } from '@settle/observability';
import type { ProviderChange } from '@settle/provider-api';
import type { ChangeAttempts } from './change-attempts.js';
import type { Contradictions } from './contradictions.js';

/** Applies the changes of one kind of object. */
interface ChangesOfKind {
  /** Resolves when the log has what follows from the object in this version or a later one, or the contradiction is stored. */
  apply(key: string, version: number): Promise<unknown>;
}

export interface ChangeHandlerParts {
  readonly charge: ChangesOfKind;
  readonly repayment: ChangesOfKind;
  readonly payout: ChangesOfKind;
  readonly reversal: ChangesOfKind;
  /** Reads a source from the provider and stores what it has become; false if the provider did not answer. */
  readonly followSource: (key: string) => Promise<boolean>;
  readonly attempts: ChangeAttempts;
  readonly contradictions: Contradictions;
  readonly logger: Logger;
}

/** Applies a change of the provider, whichever object it is about. The newest state of the object counts, not the change. */
export class ChangeHandler {
  constructor(private readonly parts: ChangeHandlerParts) {}

  /**
   * Resolves when the log has what follows, or a contradiction is stored, also for a key that the log does not know.
   * Errors: `ProviderSilent` if the provider does not answer; others say why the change cannot be applied now.
   */
  async apply({ kind, key, version }: Pick<ProviderChange, 'kind' | 'key' | 'version'>): Promise<void> {
    if (kind !== 'source') return void (await this.parts[kind].apply(key, version));
    const isStored = await this.parts.followSource(key);
    if (!isStored)
      await this.parts.attempts.failAsUnanswered(`The source ${key} of the list of changes cannot be read`);
  }

  /** Gives up on a change, which operators see listed. Errors: the store's. */
  giveUp({ kind, key, version }: Pick<ProviderChange, 'kind' | 'key' | 'version'>, err: unknown): Promise<void> {
    this.parts.logger.error({ err, kind, key }, 'a change of the provider cannot be applied; an operator has to look');
    return this.parts.contradictions.record(key, 'not_applied', version);
  }
}
