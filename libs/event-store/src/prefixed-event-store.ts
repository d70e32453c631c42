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

/** A log that is only read. */
export type ReadableLog = Pick<EventStore, 'readStream' | 'subscribe'>;

/** Those streams of a log whose names begin with a prefix, under names without it: no other can be read through this. */
export class PrefixedLog implements ReadableLog {
  constructor(
    private readonly prefix: string,
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

/** As `PrefixedLog`, to be written too: whoever holds this can reach no other stream. Closing it closes the store. */
export class PrefixedEventStore implements EventStore {
  readonly #log: PrefixedLog;

  constructor(
    private readonly prefix: string,
    private readonly store: EventStore,
  ) {
    this.#log = new PrefixedLog(prefix, store);
  }

  async append(unit: AppendUnit): Promise<AppendResult> {
    try {
      return await this.store.append(unit.map((append) => ({ ...append, stream: this.prefix + append.stream })));
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      throw new RevisionConflict(error.stream.slice(this.prefix.length), error.expectedRevision);
    }
  }

  readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]> {
    return this.#log.readStream(stream, options);
  }

  subscribe(options: SubscribeOptions): Subscription {
    return this.#log.subscribe(options);
  }

  newestPosition(): Promise<number> {
    return this.store.newestPosition();
  }

  close(): Promise<void> {
    return this.store.close();
  }
}
