import {
  EventStoreDBClient,
  FORWARDS,
  START,
  type AllStreamRecordedEvent,
  type Position,
  type ReadPosition,
} from '@eventstore/db-client';

const PAGE_EVENTS = 10_000;

/** An event with the id that its writer gave it. */
export interface LoggedId {
  readonly id: string;
  readonly stream: string;
}

/** Reads the log of an EventStoreDB from its start, with the client library alone. */
export class EventLogReader {
  readonly #client: EventStoreDBClient;
  #read: Position | null = null;

  constructor(url: string) {
    this.#client = EventStoreDBClient.connectionString(url);
  }

  /** Returns the events that were added since the last call that resolved, in order. Rejects if the server does not answer. */
  async readNew(): Promise<readonly LoggedId[]> {
    const found: AllStreamRecordedEvent[] = [];
    for (;;) {
      const position = found.at(-1)?.position ?? this.#read;
      const page = await this.#readAfter(position);
      if (page.length === 0) {
        this.#read = position;
        return found.map(toLoggedId);
      }
      found.push(...page);
    }
  }

  close(): Promise<void> {
    return this.#client.dispose();
  }

  async #readAfter(position: Position | null): Promise<AllStreamRecordedEvent[]> {
    const fromPosition: ReadPosition = position ?? START;
    const events: AllStreamRecordedEvent[] = [];
    // Never left before its end: the client library would not release it.
    for await (const { event } of this.#client.readAll({ direction: FORWARDS, fromPosition, maxCount: PAGE_EVENTS })) {
      // A read begins with the event at its position.
      if (event !== undefined && event.position.commit !== position?.commit) events.push(event);
    }
    return events;
  }
}

function toLoggedId({ id, streamId: stream, metadata }: AllStreamRecordedEvent): LoggedId {
  const { id: writerId = id } = (metadata ?? {}) as { id?: string };
  return { id: writerId, stream };
}
