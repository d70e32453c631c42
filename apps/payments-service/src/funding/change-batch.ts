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

export type ChangeEnd = 'applied' | 'given up';

/** The outcome of one try of a batch. */
export interface BatchOutcome {
  /** The first error; null if every change has ended. */
  readonly error: unknown;
  /** Null if the change is to be tried again. */
  readonly endOf: (change: ChangedObject) => ChangeEnd | null;
}

/**
 * Applies changes again and again until each is applied, or has failed so often that it must not hold the others for
 * ever. It remembers only the changes of the newest batch.
 */
export class ChangeBatch {
  /** By object and version: how the change has ended, or how often it has failed. */
  #states = new Map<string, ChangeEnd | number>();

  constructor(private readonly handler: Pick<ChangeHandler, 'apply' | 'giveUp'>) {}

  /** Tries every change once, unless it has ended; several versions of one object are one change. Never rejects. */
  async attempt(changes: readonly ChangedObject[]): Promise<BatchOutcome> {
    const newest = newestOfEach(changes);
    const names = new Set([...newest.values()].map(nameOf));
    this.#states = new Map([...this.#states].filter(([name]) => names.has(name)));
    const errors: unknown[] = [];
    await forEachConcurrent([...newest.values()], changeConcurrency, async (change) => {
      // A silent provider is not asked for the rest of the batch.
      if (this.#endOf(change) !== null || errors.some((error) => error instanceof ProviderSilent)) return;
      try {
        await this.#attemptOne(change);
      } catch (error) {
        errors.push(error);
      }
    });
    return { error: errors[0] ?? null, endOf: (change) => this.#endOf(newest.get(objectOf(change)) ?? change) };
  }

  /** Forgets the changes that have ended: in a later batch they are a new request. */
  forgetEnded(): void {
    this.#states = new Map([...this.#states].filter(([, state]) => typeof state === 'number'));
  }

  #endOf(change: ChangedObject): ChangeEnd | null {
    const state = this.#states.get(nameOf(change));
    return typeof state === 'string' ? state : null;
  }

  async #attemptOne(change: ChangedObject): Promise<void> {
    const name = nameOf(change);
    try {
      await this.handler.apply(change);
      this.#states.set(name, 'applied');
    } catch (err) {
      if (isUnavailable(err)) throw err;
      const failures = Number(this.#states.get(name) ?? 0) + 1;
      this.#states.set(name, failures);
      if (failures < changeTries) throw err;
      await this.handler.giveUp(change, err).catch((error: unknown) => {
        // One that cannot be recorded is in the log file only: it must not hold the others either.
        if (isUnavailable(error)) throw error;
      });
      this.#states.set(name, 'given up');
    }
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
