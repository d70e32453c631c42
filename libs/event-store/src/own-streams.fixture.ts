import { randomUUID } from 'node:crypto';
import type { StorePlace } from './contract.fixture.js';
import {
  RevisionConflict,
  type AppendResult,
  type AppendUnit,
  type EventStore,
  type ReadOptions,
  type StoredEvent,
  type SubscribeOptions,
  type Subscription,
} from './event-store.js';

/** A place on a server that specs share, and that may hold whatever else: its streams have names of their own. */
export async function ownPlaceOn(open: () => Promise<EventStore>): Promise<StorePlace> {
  const prefix = `${randomUUID()}/`;
  return { open: async () => new OwnStreams(await open(), prefix), drop: async () => undefined };
}

/** A store whose streams have a prefix that its users don't see. */
class OwnStreams implements EventStore {
  constructor(
    private readonly store: EventStore,
    private readonly prefix: string,
  ) {}

  async append(unit: AppendUnit): Promise<AppendResult> {
    try {
      // A name that no writer may use stays one.
      return await this.store.append(unit.map((append) => ({ ...append, stream: this.prefix + append.stream })));
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      throw new RevisionConflict(error.stream.slice(this.prefix.length), error.expectedRevision);
    }
  }

  async readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]> {
    return (await this.store.readStream(this.prefix + stream, options)).map((event) => this.#own(event));
  }

  subscribe(options: SubscribeOptions): Subscription {
    return this.store.subscribe({
      ...options,
      streamPrefixes: options.streamPrefixes.map((prefix) => this.prefix + prefix),
      handle: (events, upTo) => {
        const own = events.map((event) => this.#own(event));
        return options.handle(own, upTo);
      },
    });
  }

  close(): Promise<void> {
    return this.store.close();
  }

  #own(event: StoredEvent): StoredEvent {
    return { ...event, stream: event.stream.slice(this.prefix.length) };
  }
}
