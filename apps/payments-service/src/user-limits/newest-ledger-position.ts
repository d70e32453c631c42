import { settlesWithin } from '@settle/concurrency';
import { START, type EventStore } from '@settle/event-store';
import { LEDGER_PREFIXES } from '../storage/streams.js';

export interface LogEnd {
  /** Position from which to read: all events before it are projected. */
  readonly after: number;
  readonly eventsPerRead: number;
  readonly timeoutMs: number;
}

/**
 * Returns the position of the newest event of this ledger's streams after a position, or of the newest one read before
 * the timeout; `START` if there is none, and null if the log could not be read. The read models can reach that position,
 * while the newest event of the log may belong to another ledger: EventStoreDB does not tell that it passed such events.
 */
export async function newestLedgerPosition(
  store: Pick<EventStore, 'subscribe' | 'newestPosition'>,
  { after, eventsPerRead, timeoutMs }: LogEnd,
): Promise<number | null> {
  const end = await store.newestPosition();
  if (end <= after) return START;
  let newest = START;
  let isFailing = false;
  let atEnd = () => {};
  const reading = new Promise<void>((resolve) => (atEnd = resolve));
  const subscription = store.subscribe({
    streamPrefixes: LEDGER_PREFIXES,
    after,
    batchSize: eventsPerRead,
    // Events of other streams pass without a wait.
    progressAfterMs: 0,
    handle: async (events, upTo) => {
      isFailing = false;
      newest = events.at(-1)?.position ?? newest;
      if (upTo >= end) atEnd();
    },
    // The subscription retries until the timeout.
    onError: () => (isFailing = true),
  });
  const isRead = await settlesWithin(reading, timeoutMs);
  await subscription.stop();
  return isRead || !isFailing ? newest : null;
}
