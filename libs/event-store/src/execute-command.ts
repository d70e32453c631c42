import { retry } from '@settle/concurrency';
import { RevisionConflict, StoreUnavailable, type AppendUnit, type EventStore } from './event-store.js';
import { EVENT_STORE_LIMITS } from './limits.js';

/** The decision of a command: the unit to append, empty if there is nothing to record, and the answer for the caller. */
export interface Decision<Answer> {
  readonly unit: AppendUnit;
  readonly answer: Answer;
}

export interface Command<State, Answer> {
  /** Loads the state for `decide` from the store, not from a cache, which may be stale after a conflict. */
  readonly load: () => Promise<State>;
  /** Pure. An error rejects the command, which is not retried. */
  readonly decide: (state: State) => Decision<Answer>;
}

export interface CommandResult<Answer> {
  readonly answer: Answer;
  /** Position of the last event; null if there was nothing to record. */
  readonly position: number | null;
}

/**
 * Loads, decides and appends; after a conflict with another writer it retries from the start, `commandTries` times.
 * Errors: those of `load` and `decide`; `StoreUnavailable` if nothing was stored, also after the last attempt;
 * `AppendOutcomeUnknown`.
 */
export async function executeCommand<State, Answer>(
  store: Pick<EventStore, 'append'>,
  { load, decide }: Command<State, Answer>,
): Promise<CommandResult<Answer>> {
  const { commandTries: attempts, commandPauseMaxMs: maxPauseMs } = EVENT_STORE_LIMITS;
  const attempt = async () => {
    const { unit, answer } = decide(await load());
    return { answer, position: unit.length === 0 ? null : (await store.append(unit)).position };
  };
  const isRetryable = (error: unknown) => error instanceof RevisionConflict;
  try {
    return await retry(attempt, { attempts, minPauseMs: maxPauseMs / attempts, maxPauseMs, isRetryable });
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    throw new StoreUnavailable(`${attempts} attempts conflicted with other writers`);
  }
}
