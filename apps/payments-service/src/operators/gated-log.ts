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

/** The whole log, of an environment: whoever follows it is told of every place, others' events included. */
export function wholeLogIn(environment: Environment, store: ReadableLog): ReadableLog {
  const log = new GatedLog(store);
  log.openUpTo(Number.MAX_SAFE_INTEGER);
  return logOf(environment, log);
}

/**
 * The log as far as it has been opened: who follows it is given no event after that place, and told of the place
 * itself once there is nothing of its own before it any more.
 */
export class GatedLog {
  #openUpTo = START;
  #isClosed = false;
  #waiting = new Set<() => void>();

  constructor(private readonly store: ReadableLog) {}

  openUpTo(position: number): void {
    this.#openUpTo = Math.max(this.#openUpTo, position);
    this.#rouse();
  }

  /** Lets whoever waits at the gate go, without the events. */
  close(): void {
    this.#isClosed = true;
    this.#rouse();
  }

  readStream(stream: string, options: ReadOptions): Promise<StoredEvent[]> {
    return this.store.readStream(stream, options);
  }

  subscribe(options: SubscribeOptions) {
    let reached = options.after;
    const isOurs = ({ stream }: StoredEvent) => options.streamPrefixes.some((prefix) => stream.startsWith(prefix));
    return this.store.subscribe({
      ...options,
      // A place in the log counts as reached also where others' events stand.
      streamPrefixes: EVERY_STREAM,
      handle: async (events, upTo) => {
        while (reached < upTo) {
          await this.#opened(reached);
          if (this.#isClosed) return;
          const to = Math.min(upTo, this.#openUpTo);
          const taken = events.filter((event) => isOurs(event) && event.position > reached && event.position <= to);
          await options.handle(taken, to);
          reached = to;
        }
      },
    });
  }

  async #opened(reached: number): Promise<void> {
    while (this.#openUpTo <= reached && !this.#isClosed) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  #rouse(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resolve of waiting) resolve();
  }
}
