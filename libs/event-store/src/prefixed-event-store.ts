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

/** A read-only event log. */
export type ReadableLog = Pick<EventStore, 'readStream' | 'subscribe'>;

/** Gives read access to the streams with a prefix, under their names without it, and to no others. */
export class PrefixedLog implements ReadableLog {
  constructor(
    protected readonly prefix: string,
    private readonly log: ReadableLog,
  ) {}

  async readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]> {
    return this.#stripPrefix(await this.log.readStream(this.prefix + stream, options));
  }

  subscribe(options: SubscribeOptions): Subscription {
    return this.log.subscribe({
      ...options,
      streamPrefixes: options.streamPrefixes.map((streamPrefix) => this.prefix + streamPrefix),
      handle: (events, upTo) => options.handle(this.#stripPrefix(events), upTo),
    });
  }

  #stripPrefix(events: readonly StoredEvent[]): StoredEvent[] {
    return events.map((event) => ({ ...event, stream: event.stream.slice(this.prefix.length) }));
  }
}

/** Gives read and write access to the streams with a prefix, as `PrefixedLog`. Closing it closes the store. */
export class PrefixedEventStore extends PrefixedLog implements EventStore {
  constructor(
    prefix: string,
    private readonly store: EventStore,
  ) {
    super(prefix, store);
  }

  async append(unit: AppendUnit): Promise<AppendResult> {
    try {
      return await this.store.append(unit.map((append) => ({ ...append, stream: this.prefix + append.stream })));
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      throw new RevisionConflict(error.stream.slice(this.prefix.length), error.expectedRevision);
    }
  }

  newestPosition(): Promise<number> {
    return this.store.newestPosition();
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
