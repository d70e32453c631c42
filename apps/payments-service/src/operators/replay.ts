import { LIMITS } from '@settle/config';
import { START, type ReadableLog, type StoredEvent } from '@settle/event-store';
import { EVERY_STREAM } from '../storage/streams.js';

const { silenceMs } = LIMITS.operators;

export interface ReplayOptions {
  readonly streamPrefixes: readonly string[];
  /** Position after which events are passed on; from the first event on if absent. */
  readonly after?: number;
  readonly upTo: number;
  /** Called with the position reached after each batch. */
  readonly onPosition: (position: number) => void;
}

/**
 * Passes on every event of some streams up to a position, in order, one batch at a time. Rejects if the log ends, or
 * delivers nothing, before that position.
 */
export function replay(
  store: Pick<ReadableLog, 'subscribe'>,
  { streamPrefixes, after = START, upTo, onPosition }: ReplayOptions,
  take: (events: readonly StoredEvent[]) => Promise<void>,
): Promise<void> {
  if (upTo <= after) return Promise.resolve();
  const isTaken = ({ stream, position }: StoredEvent) =>
    position <= upTo && streamPrefixes.some((prefix) => stream.startsWith(prefix));
  return new Promise<void>((resolve, reject) => {
    const end = (outcome: () => void) => {
      clearTimeout(silence);
      void subscription.stop();
      outcome();
    };
    const fallSilent = () => end(() => reject(new Error(`The event log ends before position ${upTo}`)));
    let silence = setTimeout(fallSilent, silenceMs);
    const subscription = store.subscribe({
      // Includes events of other streams: one of them may be at the last position.
      streamPrefixes: EVERY_STREAM,
      after,
      batchSize: LIMITS.eventStore.eventsPerRead,
      handle: async (events, reached) => {
        clearTimeout(silence);
        await take(events.filter(isTaken));
        onPosition(Math.min(reached, upTo));
        if (reached >= upTo) end(resolve);
        else silence = setTimeout(fallSilent, silenceMs);
      },
      onError: (error) => end(() => reject(error instanceof Error ? error : new Error(String(error)))),
    });
  });
}
