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

/**
 * Those streams of a store whose names begin with a prefix, under names without it: whoever holds this can neither read
 * nor write any other. Closing it closes the store.
 */
export class PrefixedEventStore implements EventStore {
  constructor(
    private readonly prefix: string,
    private readonly store: EventStore,
  ) {}

  async append(unit: AppendUnit): Promise<AppendResult> {
    try {
      return await this.store.append(unit.map((append) => ({ ...append, stream: this.prefix + append.stream })));
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      throw new RevisionConflict(error.stream.slice(this.prefix.length), error.expectedRevision);
    }
  }

  async readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]> {
    return this.#renamed(await this.store.readStream(this.prefix + stream, options));
  }

  subscribe(options: SubscribeOptions): Subscription {
    return this.store.subscribe({
      ...options,
      streamPrefixes: options.streamPrefixes.map((streamPrefix) => this.prefix + streamPrefix),
      handle: (events, upTo) => options.handle(this.#renamed(events), upTo),
    });
  }

  close(): Promise<void> {
    return this.store.close();
  }

  #renamed(events: readonly StoredEvent[]): StoredEvent[] {
    return events.map((event) => ({ ...event, stream: event.stream.slice(this.prefix.length) }));
  }
}
