import { EventStoreDBClient } from '@eventstore/db-client';

/** An event with what a reader of the server needs to find related events. */
export interface RelatedEvent {
  readonly stream: string;
  readonly type: string;
  /** Id by which the writer knows the event; other events name it as their cause. */
  readonly id: string;
  /** Undefined in events from before there were any. */
  readonly correlationId: string | undefined;
  readonly causationId: string | undefined;
}

const MOST_EVENTS = 100_000;

/** Reads all events of an EventStoreDB, except its own, in order of their positions. Error: it is unavailable. */
export async function readRelatedEvents(url: string): Promise<RelatedEvent[]> {
  const client = EventStoreDBClient.connectionString(url);
  const related: RelatedEvent[] = [];
  try {
    for await (const { event } of client.readAll({ fromPosition: 'start', maxCount: MOST_EVENTS })) {
      if (event === undefined || event.streamId.startsWith('$')) continue;
      const { streamId: stream, type } = event;
      const metadata = (event.metadata ?? {}) as Readonly<Record<string, string>>;
      const { id = event.id, $correlationId: correlationId, $causationId: causationId } = metadata;
      related.push({ stream, type, id, correlationId, causationId });
    }
  } finally {
    await client.dispose();
  }
  return related;
}
