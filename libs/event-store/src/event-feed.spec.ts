import fc from 'fast-check';
import { eventually } from '@settle/testing';
import { PacedLog } from '../test/paced-log.fixture.js';
import { EventFeed } from './event-feed.js';
import { START, type StoredEvent, type Subscription } from './event-store.js';
import { FeedSubscription } from './feed-subscription.js';
import { EVENT_STORE_DB_LIMITS } from './limits.js';

const IDLE = { expectsEventsAfter: () => false, settledListeners: new Set<() => void>() };
const limits = { ...EVENT_STORE_DB_LIMITS, feedEvents: 3, feedStartEvents: 2, retryPauseMinMs: 1, retryPauseMaxMs: 1 };
const STREAMS = ['wallet-1', 'payment-1', 'other-1'] as const;
const SHARED = ['wallet-', 'payment-'];

/** A subscription whose batches wait until the spec ends them. */
class SteppedReader {
  /** The events of the batches that succeeded. */
  readonly handled: StoredEvent[] = [];
  upTo: number;
  isFree = false;
  isStopped = false;
  readonly #subscription: Subscription;
  #failed: readonly StoredEvent[] | null = null;
  #end: ((isSuccess: boolean) => void) | null = null;

  constructor(
    { log, feed }: { readonly log: PacedLog; readonly feed: EventFeed },
    readonly options: {
      readonly streamPrefixes: readonly string[];
      readonly after: number;
      readonly batchSize: number;
    },
  ) {
    this.upTo = options.after;
    const handle = (events: readonly StoredEvent[], upTo: number) => this.#handle(events, upTo);
    const source = { client: log, checkLog: async () => undefined, observe: () => undefined, feed, units: IDLE };
    this.#subscription = new FeedSubscription({ ...options, handle, onError: () => undefined }, source, limits);
  }

  /** Ends the batch in progress, if there is one. */
  end(isSuccess: boolean): void {
    this.#end?.(isSuccess);
    this.#end = null;
  }

  free(): void {
    this.isFree = true;
    this.end(true);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    const stopped = this.#subscription.stop();
    this.end(true);
    await stopped;
  }

  async #handle(events: readonly StoredEvent[], upTo: number): Promise<void> {
    expect(this.#end).toBeNull();
    expect(events.length).toBeLessThanOrEqual(this.options.batchSize);
    if (this.#failed !== null) expect(events).toEqual(this.#failed);
    const isSuccess = this.isFree || (await new Promise<boolean>((resolve) => (this.#end = resolve)));
    this.#failed = isSuccess ? null : events;
    if (!isSuccess) throw new Error('the handler failed');
    this.handled.push(...events);
    expect(upTo).toBeGreaterThanOrEqual(this.upTo);
    this.upTo = upTo;
  }
}

type Step =
  | { readonly kind: 'append'; readonly stream: string }
  | {
      readonly kind: 'subscribe';
      readonly prefixes: readonly string[];
      readonly back: number;
      readonly batchSize: number;
    }
  | { readonly kind: 'send'; readonly at: number }
  | { readonly kind: 'lose'; readonly at: number }
  | { readonly kind: 'stop'; readonly at: number }
  | { readonly kind: 'end'; readonly at: number; readonly isSuccess: boolean }
  | { readonly kind: 'turn' };

const at = fc.nat(3);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('append' as const), stream: fc.constantFrom(...STREAMS) }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('send' as const), at }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('end' as const), at, isSuccess: fc.boolean() }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('turn' as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant('subscribe' as const),
        prefixes: fc.subarray(SHARED, { minLength: 1 }),
        back: fc.nat(8),
        batchSize: fc.integer({ min: 1, max: 4 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('lose' as const), at }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), at }) },
  ),
  { maxLength: 120, size: 'max' },
);

describe('EventFeed', () => {
  it('given any order of events, losses and handlers, when subscriptions come and go, then each gets its events once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        const log = new PacedLog();
        const source = { client: log, checkLog: async () => undefined, observe: () => undefined };
        const readNewest = (limit: number) => log.readNewest(limit);
        const feed = new EventFeed({ ...source, readNewest, streamPrefixes: SHARED }, limits);
        const readers: SteppedReader[] = [];
        for (const step of drawn) await take(step, { log, feed, readers });
        log.isFast = true;
        log.sendAll();
        for (const reader of readers) reader.free();
        const active = readers.filter(({ isStopped }) => !isStopped);
        await eventually(() => {
          for (const reader of active) expect(reader.handled).toEqual(expectedOf(reader, log.end, log));
        });
        await Promise.all(readers.map((reader) => reader.stop()));
        for (const reader of readers) expect(reader.handled).toEqual(expectedOf(reader, reader.upTo, log));
        expect(log.subscriptions.size).toBe(0);
      }),
      { numRuns: 150 },
    );
  });
});

interface Scene {
  readonly log: PacedLog;
  readonly feed: EventFeed;
  readonly readers: SteppedReader[];
}

async function take(step: Step, { log, feed, readers }: Scene): Promise<void> {
  if (step.kind === 'append') log.append(step.stream);
  else if (step.kind === 'send') [...log.subscriptions][step.at]?.sendNext();
  else if (step.kind === 'lose') log.lose(step.at);
  else if (step.kind === 'end') readers[step.at]?.end(step.isSuccess);
  else if (step.kind === 'stop') await readers[step.at]?.stop();
  else if (step.kind === 'turn') {
    await new Promise((resolve) => setTimeout(resolve, 0));
    expectReadsAsInLog(feed, log);
  } else {
    const after = log.events.at(-1 - step.back)?.position ?? START;
    readers.push(new SteppedReader({ log, feed }, { ...step, streamPrefixes: step.prefixes, after }));
  }
}

/** Reads back from the newest events: the feed returns what the log has, or null. */
function expectReadsAsInLog(feed: EventFeed, log: PacedLog): void {
  for (const { stream, revision } of log.events.slice(-3)) {
    for (const limit of [1, 9]) {
      const read = feed.readStream(stream, { direction: 'backwards', fromRevision: revision, limit });
      const stored = log.events.filter((event) => event.stream === stream && event.revision <= revision);
      if (read !== null) expect(read).toEqual(stored.reverse().slice(0, limit));
    }
  }
}

/** Returns the events that a reader must have handled when it has reached a position. */
function expectedOf({ options }: SteppedReader, upTo: number, log: PacedLog): StoredEvent[] {
  return log.events
    .filter(({ position }) => position > options.after && position <= upTo)
    .filter(({ stream }) => options.streamPrefixes.some((prefix) => stream.startsWith(prefix)));
}
