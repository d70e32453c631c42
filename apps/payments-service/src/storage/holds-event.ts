import type { LogEvent } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';

/** Returns whether the log has this event at this revision of its stream. Errors: the store's. */
export async function holdsEvent(
  store: Pick<EventStore, 'readStream'>,
  { stream, revision, id }: Pick<LogEvent, 'stream' | 'revision' | 'id'>,
): Promise<boolean> {
  const [event] = await store.readStream(stream, { direction: 'forwards', fromRevision: revision, limit: 1 });
  return event?.revision === revision && event.id === id;
}
