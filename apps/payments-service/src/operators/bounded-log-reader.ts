import type { Environment } from '@settle/contracts';
import {
  START,
  type ReadOptions,
  type StoredEvent,
  type SubscribeOptions,
  type ReadableLog,
} from '@settle/event-store';
import { logOf } from '../storage/environments.js';
import { EVERY_STREAM } from '../storage/streams.js';

/** Returns a reader of an environment's whole log. Subscribers also get the positions of events outside the environment. */
export function wholeLogOf(environment: Environment, store: ReadableLog): ReadableLog {
  const log = new BoundedLogReader(store);
  log.raiseLimit(Number.MAX_SAFE_INTEGER);
  return logOf(environment, log);
}

/**
 * Reads the log up to a limit that can be raised: subscribers get no event after it, and the limit itself as a position
 * once they have all events before it.
 */
export class BoundedLogReader {
  #limit = START;
  #isClosed = false;
  #waiting = new Set<() => void>();

  constructor(private readonly store: ReadableLog) {}

  raiseLimit(position: number): void {
    this.#limit = Math.max(this.#limit, position);
    this.#wakeAll();
  }

  /** Ends the waits of subscribers at the limit, without further events. */
  close(): void {
    this.#isClosed = true;
    this.#wakeAll();
  }

  readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]> {
    return this.store.readStream(stream, options);
  }

  subscribe(options: SubscribeOptions) {
    let reached = options.after;
    const isWanted = ({ stream }: StoredEvent) => options.streamPrefixes.some((prefix) => stream.startsWith(prefix));
    return this.store.subscribe({
      ...options,
      // Positions of other streams count as reached, too.
      streamPrefixes: EVERY_STREAM,
      handle: async (events, upTo) => {
        while (reached < upTo) {
          await this.#waitForLimit(reached);
          if (this.#isClosed) return;
          const to = Math.min(upTo, this.#limit);
          const taken = events.filter((event) => isWanted(event) && event.position > reached && event.position <= to);
          await options.handle(taken, to);
          reached = to;
        }
      },
    });
  }

  async #waitForLimit(reached: number): Promise<void> {
    while (this.#limit <= reached && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #wakeAll(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
