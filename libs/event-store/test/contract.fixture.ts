import { randomUUID } from 'node:crypto';
import type { AppendUnit, EventStore, StoredEvent, StreamAppend, SubscribeOptions } from '../src/event-store.js';
import { NO_STREAM, START } from '../src/event-store.js';

/** The data of event stores: all stores that it opens share it, also one after the other. */
export interface StoreBackend {
  open(): Promise<EventStore>;
  drop(): Promise<void>;
}

/** Differences between adapters. */
export interface StoreTraits {
  /**
   * False: the appends of a unit are stored one by one, so that a failed unit may leave a prefix, positions have gaps, and
   * events reach a subscription one by one.
   */
  readonly storesUnitsAtomically: boolean;
}

export const ATOMIC_UNITS: StoreTraits = { storesUnitsAtomically: true };

export function buildAppend(stream: string, expectedRevision: number, numbers: readonly number[]): StreamAppend {
  return {
    stream,
    expectedRevision,
    events: numbers.map((number) => ({
      id: randomUUID(),
      type: 'Counted',
      data: { number, note: 'café ☕ "quoted"\n' },
    })),
  };
}

export function buildUnit(stream: string, expectedRevision: number, ...numbers: number[]): AppendUnit {
  return [buildAppend(stream, expectedRevision, numbers)];
}

export function getNumbers(events: readonly StoredEvent[]): number[] {
  return events.map(({ data }) => (data as { number: number }).number);
}

export function readAll(store: EventStore, stream: string): Promise<StoredEvent[]> {
  return store.readStream(stream, { direction: 'forwards', limit: 100_000 });
}

/** Appends one event at the end of the stream and retries after conflicts. */
export async function appendAtEnd(store: EventStore, stream: string, number: number): Promise<void> {
  for (;;) {
    const [newest] = await store.readStream(stream, { direction: 'backwards', limit: 1 });
    const outcome = await getOutcome(store.append(buildUnit(stream, newest?.revision ?? NO_STREAM, number)));
    if (outcome === 'stored') return;
    if (outcome !== 'RevisionConflict') throw new Error(outcome);
  }
}

/** Returns `stored` or the name of the error. */
export async function getOutcome(append: Promise<unknown>): Promise<string> {
  try {
    await append;
    return 'stored';
  } catch (error) {
    return (error as Error).name;
  }
}

/** Records the events that a subscription delivers; `waitForEvents` resolves after `count` events. */
export class Recorder {
  readonly events: StoredEvent[] = [];
  readonly errors: unknown[] = [];
  upTo = START;
  #waiters: { count: number; resolve: () => void }[] = [];

  options(streamPrefixes: readonly string[], changed: Partial<SubscribeOptions> = {}): SubscribeOptions {
    return {
      streamPrefixes,
      after: START,
      batchSize: 100,
      handle: async (events, upTo) => this.record(events, upTo),
      onError: (error) => this.errors.push(error),
      ...changed,
    };
  }

  record(events: readonly StoredEvent[], upTo: number): void {
    this.events.push(...events);
    this.upTo = upTo;
    for (const { count, resolve } of this.#waiters) if (this.events.length >= count) resolve();
    this.#waiters = this.#waiters.filter(({ count }) => this.events.length < count);
  }

  async waitForEvents(count: number): Promise<void> {
    if (this.events.length >= count) return;
    await new Promise<void>((resolve) => this.#waiters.push({ count, resolve }));
  }
}

/** Fails unless positions increase and the revisions of each stream are 0, 1, 2, ... in that order. */
export function expectInOrderWithoutGaps(events: readonly StoredEvent[]): void {
  const revisions = new Map<string, number>();
  let position = START;
  for (const event of events) {
    expect(event.position).toBeGreaterThan(position);
    expect(event.revision).toBe((revisions.get(event.stream) ?? NO_STREAM) + 1);
    revisions.set(event.stream, event.revision);
    position = event.position;
  }
}
