import {
  RevisionConflict,
  StoreUnavailable,
  type AppendResult,
  type AppendUnit,
  type EventStore,
} from './event-store.js';
import { EVENT_STORE_LIMITS } from './limits.js';

/** What a command comes to: the unit that records it, empty when there is nothing to record, and its answer. */
export interface Decision<Answer> {
  readonly unit: AppendUnit;
  readonly answer: Answer;
}

export interface Command<State, Answer> {
  /** Loads what `decide` needs, from the store, not from a cache that a conflict has shown to be stale. */
  readonly load: () => Promise<State>;
  /** Pure. What it throws is the command's refusal and is not tried again. */
  readonly decide: (state: State) => Decision<Answer>;
}

export interface Handled<Answer> {
  readonly answer: Answer;
  /** Where the last event stands; null when there was nothing to record. */
  readonly position: number | null;
}

/**
 * Loads, decides and appends; when somebody else was faster, again from the start, a bounded number of times.
 * Errors: what `load` and `decide` throw; `StoreUnavailable` when nothing was stored, after the last try too;
 * `AppendOutcomeUnknown`.
 */
export async function handle<State, Answer>(
  store: Pick<EventStore, 'append'>,
  { load, decide }: Command<State, Answer>,
): Promise<Handled<Answer>> {
  for (let tries = 1; ; tries += 1) {
    const { unit, answer } = decide(await load());
    if (unit.length === 0) return { answer, position: null };
    const result = await appendUnlessConflict(store, unit);
    if (result !== null) return { answer, position: result.position };
    if (tries === EVENT_STORE_LIMITS.commandTries) throw new StoreUnavailable(`${tries} tries met other writers`);
    await pause(tries);
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

/** Grows with the tries and differs between writers, so that those who met once do not meet again. */
function pause(tries: number): Promise<void> {
  const longestMs = (EVENT_STORE_LIMITS.commandPauseMaxMs * tries) / EVENT_STORE_LIMITS.commandTries;
  return new Promise((resolve) => setTimeout(resolve, Math.random() * longestMs));
}
