import { LIMITS } from '@settle/config';
import { START, type ReadableLog, type StoredEvent } from '@settle/event-store';
import { EVERY_STREAM } from '../storage/streams.js';

const { silenceMs } = LIMITS.operators;

export interface ReplayOptions {
  readonly streamPrefixes: readonly string[];
  /** Not handed over, nor what stands before it; from the first event on unless given. */
  readonly after?: number;
  readonly upTo: number;
  /** Told of how far it has come, with every batch. */
  readonly onPosition: (position: number) => void;
}

/**
 * Hands over every event of some streams up to a position, in order, a batch at a time. Rejects when the log ends, or
 * falls silent, before that position.
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
      // Others' events as well: one of those may stand at the last position.
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
