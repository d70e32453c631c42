import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { AllStreamSubscription } from '@eventstore/db-client';
import { START, type StoredEvent, type SubscribeOptions } from '../src/event-store.js';
import { Checkpoint } from '../src/reading-client.js';

const STEP = 10;

/** One subscription to a `PacedLog`. */
class PacedSubscription extends Readable {
  constructor(
    private readonly log: PacedLog,
    public position: number,
    private readonly prefixes: readonly string[],
  ) {
    super({ objectMode: true, highWaterMark: 1_000, read: () => undefined });
    setImmediate(() => this.emit('confirmation'));
  }

  /** Sends the next event, or its position if it is of another stream. */
  sendNext(): void {
    const event = this.log.events.find(({ position }) => position > this.position);
    if (event === undefined) return;
    this.position = event.position;
    if (this.destroyed) return;
    const isFollowed = this.prefixes.some((prefix) => event.stream.startsWith(prefix));
    this.push(isFollowed ? { event: toRecorded(event) } : new Checkpoint(event.position));
  }

  async unsubscribe(): Promise<void> {
    this.log.subscriptions.delete(this);
  }
}

/** A log in memory, whose subscriptions get their next event when a spec says so, or at once while it is `isFast`. */
export class PacedLog {
  readonly events: StoredEvent[] = [];
  /** Those that are open, the oldest first. */
  readonly subscriptions = new Set<PacedSubscription>();
  /** The positions after which subscriptions have begun. */
  readonly startPositions: number[] = [];
  isFast = false;

  append(stream: string): StoredEvent {
    const revision = this.events.filter((event) => event.stream === stream).length;
    const position = (this.events.length + 1) * STEP;
    const event = { id: randomUUID(), type: 'Counted', stream, revision, data: { number: position }, position };
    this.events.push(event);
    if (this.isFast) this.sendAll();
    return event;
  }

  subscribe({ after, streamPrefixes }: Pick<SubscribeOptions, 'after' | 'streamPrefixes'>): AllStreamSubscription {
    const subscription = new PacedSubscription(this, after, streamPrefixes);
    this.subscriptions.add(subscription);
    this.startPositions.push(after);
    if (this.isFast) this.sendAll();
    return subscription as unknown as AllStreamSubscription;
  }

  async readNewest(limit: number): Promise<StoredEvent[]> {
    return this.events.slice(-limit).reverse();
  }

  /** Returns the position of the newest event. */
  get end(): number {
    return this.events.at(-1)?.position ?? START;
  }

  /** Sends every subscription what it lacks. */
  sendAll(): void {
    for (const subscription of this.subscriptions) while (subscription.position < this.end) subscription.sendNext();
  }

  /** Ends a subscription as a lost connection does. */
  lose(index: number): void {
    [...this.subscriptions][index]?.destroy(new Error('the connection is lost'));
  }
}

function toRecorded({ stream, revision, position, ...event }: StoredEvent): object {
  const at = BigInt(position);
  return {
    ...event,
    streamId: stream,
    revision: BigInt(revision),
    position: { commit: at, prepare: at },
    metadata: {},
  };
}
