import {
  RevisionConflict,
  StoreUnavailable,
  type AppendResult,
  type AppendUnit,
  type EventStore,
} from './event-store.js';
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
  for (let attempt = 1; ; attempt += 1) {
    const { unit, answer } = decide(await load());
    if (unit.length === 0) return { answer, position: null };
    const result = await appendUnlessConflict(store, unit);
    if (result !== null) return { answer, position: result.position };
    if (attempt === EVENT_STORE_LIMITS.commandTries) {
      throw new StoreUnavailable(`${attempt} attempts conflicted with other writers`);
    }
    await backOff(attempt);
  }
}

async function appendUnlessConflict(store: Pick<EventStore, 'append'>, unit: AppendUnit): Promise<AppendResult | null> {
  try {
    return await store.append(unit);
  } catch (error) {
    if (error instanceof RevisionConflict) return null;
    throw error;
  }
}

/** Waits for a random time that grows with the attempts, so that conflicting writers do not collide again. */
function backOff(attempt: number): Promise<void> {
  const longestMs = (EVENT_STORE_LIMITS.commandPauseMaxMs * attempt) / EVENT_STORE_LIMITS.commandTries;
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longestMs));
}
