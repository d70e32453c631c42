import { AppendOutcomeUnknown, type EventStore } from '@settle/event-store';
import { altered } from '../../ledger-lab/altered-store.fixture.js';
import { ProcessStopped } from '../../ledger-lab/stopping-store.fixture.js';

/** An event log whose appends do `append` instead. */
const appendingWith =
  (append: (store: EventStore, unit: Parameters<EventStore['append']>[0]) => Promise<never>) =>
  (store: EventStore): EventStore =>
    altered(store, { append: (unit) => append(store, unit) });

/** The process ends before anything is stored. */
export const stopsBeforeAppending = appendingWith(() => Promise.reject(new ProcessStopped()));
/** Everything is stored, but the response is lost. */
export const losesItsAnswers = appendingWith(async (store, unit) => {
  await store.append(unit);
  throw new AppendOutcomeUnknown('the connection broke');
});
