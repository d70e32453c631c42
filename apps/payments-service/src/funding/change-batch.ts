import { forEachConcurrent } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { AppendOutcomeUnknown, StoreUnavailable } from '@settle/event-store';
import { isServerUnavailable } from '@settle/postgres';
import type { ProviderChange } from '@settle/provider-api';
import { ProviderSilent } from './change-attempts.js';
import type { ChangeHandler } from './change-handler.js';

const { changeConcurrency, changeTries } = LIMITS.provider;

/** Says that an object of the provider has changed. */
export type ChangedObject = Pick<ProviderChange, 'kind' | 'key' | 'version'>;

/** The end of one try of a batch. */
export interface BatchOutcome {
  /** The first error; null if every change is applied, or given up. */
  readonly error: unknown;
  readonly isDone: (change: ChangedObject) => boolean;
}

/**
 * Applies changes again and again until each is applied, or has failed so often that it must not hold the others for
 * ever. It remembers only the changes of the newest batch.
 */
export class ChangeBatch {
  /** By object and version: how often the change has failed; 0 once it is applied or given up. */
  #failures = new Map<string, number>();

  constructor(private readonly handler: Pick<ChangeHandler, 'apply' | 'giveUp'>) {}

  /** Tries every change once, unless it is done already; several versions of one object are one change. Never rejects. */
  async attempt(changes: readonly ChangedObject[]): Promise<BatchOutcome> {
    const newest = newestOfEach(changes);
    const names = new Set([...newest.values()].map(nameOf));
    this.#failures = new Map([...this.#failures].filter(([name]) => names.has(name)));
    const errors: unknown[] = [];
    await forEachConcurrent([...newest.values()], changeConcurrency, async (change) => {
      // A silent provider is not asked for the rest of the batch.
      if (this.#failures.get(nameOf(change)) === 0 || errors.some((error) => error instanceof ProviderSilent)) return;
      try {
        await this.#attemptOne(change);
      } catch (error) {
        errors.push(error);
      }
    });
    const isDone = (change: ChangedObject) => this.#failures.get(nameOf(newest.get(objectOf(change)) ?? change)) === 0;
    return { error: errors[0] ?? null, isDone };
  }

  async #attemptOne(change: ChangedObject): Promise<void> {
    const name = nameOf(change);
    try {
      await this.handler.apply(change);
    } catch (err) {
      if (isUnavailable(err)) throw err;
      const failures = (this.#failures.get(name) ?? 0) + 1;
      this.#failures.set(name, failures);
      if (failures < changeTries) throw err;
      await this.handler.giveUp(change, err);
    }
    this.#failures.set(name, 0);
  }
}

/** Whether it is not the change that failed: it is tried again for as long as it takes. */
function isUnavailable(error: unknown): boolean {
  return (
    error instanceof ProviderSilent ||
    error instanceof StoreUnavailable ||
    error instanceof AppendOutcomeUnknown ||
    isServerUnavailable(error)
  );
}

/** By object. */
function newestOfEach(changes: readonly ChangedObject[]): ReadonlyMap<string, ChangedObject> {
  const newest = new Map<string, ChangedObject>();
  for (const change of changes) {
    const before = newest.get(objectOf(change));
    if (before === undefined || before.version < change.version) newest.set(objectOf(change), change);
  }
  return newest;
}

const objectOf = ({ kind, key }: ChangedObject): string => `${kind}/${key}`;
const nameOf = (change: ChangedObject): string => `${objectOf(change)}/${change.version}`;
