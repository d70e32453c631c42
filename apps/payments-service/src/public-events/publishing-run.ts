import { settlesWithin, sleep } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { START, type EventStore, type StoredEvent, type Subscription } from '@settle/event-store';
import type { EventEnvelope, KafkaBus, TopicContents, TopicEnds } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import type { Clock } from '../storage/clock.js';
import { timeUsOf } from '../storage/streams.js';
import { FencedCheckpoint } from './fenced-checkpoint.js';
import { isBehind } from './is-behind.js';
import { FIRST_EPOCH, isRaised, raiseEpochAbove, readPublicEventEpoch, startFilling } from './public-event-epoch.js';
import type { PublishedTopic } from './published-topics.js';
import type { TopicProgress } from './watermark-writer.js';
import { newestEpoch } from './topic-contradiction.js';

const { lateAfterMs, lateCheckEveryMs, pauseMs, recordsTogether, watermarkEveryMs } = LIMITS.publishing;
const { retryPauseMinMs, retryPauseMaxMs, eventsPerRead } = LIMITS.eventStore;

/** The bus with the public topics. */
export interface PublishingBus extends Pick<KafkaBus, 'publish' | 'publishTogether' | 'onTopicsLost'> {
  contents(topic: PublishedTopic['topic']): Pick<TopicContents, 'isEmpty' | 'newest' | 'deleteAll'>;
  ends(): Pick<TopicEnds, 'read' | 'close'>;
}

export interface PublishingDependencies {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly bus: PublishingBus;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface PublishingRunOptions extends PublishingDependencies {
  readonly published: PublishedTopic;
  /** Whether the topic has events that the ledger does not have, which is logged. */
  readonly isTopicAhead: () => Promise<boolean>;
  /** Fencing token of the lease: larger than that of every earlier holder. */
  readonly fence: number;
  /** Whether this instance certainly holds the lease still. */
  readonly isHeld: () => boolean;
  /** Resolves when the previous run of this process has ended. */
  readonly after: Promise<unknown>;
}

/** Another instance publishes, or this run was stopped: not a failure. */
class LeaseLost extends Error {}

/** The topic has events that the ledger does not have. */
class TopicAhead extends Error {}

/**
 * Publishes the records of a topic while this instance holds the lease. The position advances once every replica
 * has a batch, so a fault can publish events twice and never loses one.
 */
export class PublishingRun {
  readonly #published: FencedCheckpoint;
  readonly #starting: Promise<void>;
  readonly #lateTimer: NodeJS.Timeout;
  readonly #contents: ReturnType<PublishingBus['contents']>;
  #subscription: Subscription | null = null;
  #position = START;
  #epoch = FIRST_EPOCH;
  /** The topic is empty although events up to here were read for it: it was lost if one of them has a record. */
  #emptyUpTo = START;
  /** Time of the oldest event of the batch in progress; null if there is none. */
  #batchSinceUs: number | null = null;
  /** Ends pauses and retries, while the batch in progress is completed. */
  readonly #stopping = new AbortController();
  #isAborted = false;
  #abort: () => void = () => undefined;

  constructor(private readonly options: PublishingRunOptions) {
    const { bus, pool, fence, published } = options;
    this.#contents = bus.contents(published.topic);
    this.#published = new FencedCheckpoint(pool, published.topic, fence);
    this.#lateTimer = setInterval(() => this.#warnIfLate(), lateCheckEveryMs).unref();
    this.#starting = options.after.then(() => this.#startUntilStopped());
  }

  get position(): number {
    return this.#position;
  }

  /** How far the topic is filled; null before the first event of this run is read. */
  get progress(): TopicProgress | null {
    const { topic } = this.options.published;
    return this.#subscription === null ? null : { topic, position: this.#position, epoch: this.#epoch };
  }

  /** Age in ms of the oldest event that is read and not published; 0 if there is none. */
  get behindMs(): number {
    return this.#batchSinceUs === null ? 0 : this.#ageMs(this.#batchSinceUs);
  }

  #ageMs(atUs: number): number {
    return Math.max(0, (this.options.clock.nowUs() - atUs) / 1_000);
  }

  /** Starts no further batch and waits for the one in progress up to `waitMs`; the next publisher repeats it after that. */
  async stop(waitMs: number): Promise<void> {
    this.#stopping.abort();
    clearInterval(this.#lateTimer);
    const ended = this.#starting.then(() => this.#subscription?.stop());
    if (!(await settlesWithin(ended, waitMs))) {
      this.#isAborted = true;
      this.#abort();
    }
    await ended;
  }

  async #startUntilStopped(): Promise<void> {
    const { signal } = this.#stopping;
    for (let retryMs: number = retryPauseMinMs; !signal.aborted; retryMs = Math.min(retryMs * 2, retryPauseMaxMs)) {
      try {
        return this.#subscribe(await this.#start());
      } catch (err) {
        // A lease that is lost for good stops this run; one that was renewed late does not.
        if (!(err instanceof TopicAhead || err instanceof LeaseLost)) {
          this.options.logger.error({ err }, 'public events cannot be published yet; retrying');
        }
      }
      await sleep(retryMs, signal);
    }
  }

  /**
   * Returns the position to publish from. Everything is published again under a higher epoch if the broker is new or has
   * lost the topic, and, after emptying the topic, if a restore has raised the epoch.
   */
  async #start(): Promise<number> {
    const { pool, isTopicAhead, published } = this.options;
    const position = await this.#published.claim();
    if (position === null) throw new LeaseLost();
    const epoch = await readPublicEventEpoch(pool, published.topic);
    if (isRaised(epoch)) return this.#emptyTopic(epoch.epoch, 'the ledger was restored');
    this.#epoch = epoch.epoch;
    if (await this.#unlessAborted(isTopicAhead())) throw new TopicAhead();
    if (position === START || !(await this.#unlessAborted(this.#contents.isEmpty()))) return position;
    this.#emptyUpTo = position;
    return START;
  }

  /** Goes above the newest epoch in the topic: a backup that is restored twice raises the epoch to one that consumers know. */
  async #emptyTopic(raisedTo: number, why: 'the ledger was restored' | 'the topic was lost'): Promise<number> {
    const { isHeld, logger, pool, published } = this.options;
    const newest = await this.#unlessAborted(this.#contents.newest());
    this.#epoch = Math.max(raisedTo, newestEpoch(newest) + 1);
    if (!isHeld()) throw new LeaseLost();
    const fields = { topic: published.topic, epoch: this.#epoch };
    logger.warn(fields, `${why}; emptying a topic of public events and filling it again`);
    if (!(await this.#unlessAborted(this.#contents.deleteAll(isHeld)))) throw new LeaseLost();
    const filling = { topic: published.topic, epoch: this.#epoch };
    const isOurs = await this.#published.moveTo(START);
    if (!isOurs || !(await startFilling(pool, filling, this.#published))) throw new LeaseLost();
    return START;
  }

  #subscribe(after: number): void {
    if (this.#stopping.signal.aborted) return;
    const { store, logger, fence, published } = this.options;
    logger.info({ fence, position: after, epoch: this.#epoch }, 'this instance publishes public events');
    this.#position = after;
    this.#subscription = store.subscribe({
      streamPrefixes: published.streamPrefixes,
      after,
      batchSize: eventsPerRead,
      // Events of other streams move the position as well, so that watermarks do not stand still.
      progressAfterMs: watermarkEveryMs,
      handle: (events, upTo) => this.#publish(events, upTo),
      onError: (err) => {
        if (err instanceof LeaseLost) return;
        logger.error({ err, position: this.#position }, 'public events not published; retrying with the same events');
      },
    });
  }

  async #publish(events: readonly StoredEvent[], upTo: number): Promise<void> {
    const { clock, store, pool, published } = this.options;
    const [oldest] = events;
    const rests = !isBehind(events, clock.nowUs());
    this.#batchSinceUs = oldest === undefined ? null : timeUsOf(oldest);
    const buildRecords = () => published.buildRecords(store, events, this.#epoch);
    let records = await buildRecords();
    if (this.#isLost(records)) {
      // Its offsets begin again: a consumer that keeps its own would pass over records of the same epoch.
      await this.#emptyTopic(await raiseEpochAbove(pool, this.#epoch), 'the topic was lost');
      this.#emptyUpTo = START;
      records = await buildRecords();
    }
    await this.#unlessAborted(this.#send(records));
    if (!(await this.#published.moveTo(upTo))) {
      // Not awaited: stopping waits for the batch in which this runs.
      void this.#subscription?.stop();
      throw new LeaseLost();
    }
    this.#position = upTo;
    this.#batchSinceUs = null;
    // Few large batches leave more of the processor and the broker to requests and replies.
    if (rests) await sleep(pauseMs, this.#stopping.signal);
  }

  /** Whether one of the records should have been in the topic when this run began. */
  #isLost(records: readonly (readonly EventEnvelope[])[]): boolean {
    if (this.#emptyUpTo === START) return false;
    return records.flat().some(({ headers }) => Number(headers?.['position']) <= this.#emptyUpTo);
  }

  /** Sends keys concurrently and the records of each key in order, so that a failure leaves no gap in a key. */
  async #send(keys: readonly (readonly EventEnvelope[])[]): Promise<void> {
    const { bus, isHeld } = this.options;
    const sending = keys.map(async (records) => {
      for (let at = 0; at < records.length; at += recordsTogether) {
        if (this.#isAborted || !isHeld()) throw new LeaseLost();
        await bus.publishTogether(records.slice(at, at + recordsTogether));
      }
    });
    const outcomes = await Promise.allSettled(sending);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Rejects when this run is aborted, even while an unavailable broker keeps the work waiting. */
  #unlessAborted<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#abort = () => reject(new LeaseLost());
      if (this.#isAborted) this.#abort();
      work.then(resolve, reject);
    });
  }

  #warnIfLate(): void {
    const { behindMs, position } = this;
    if (behindMs >= lateAfterMs) this.options.logger.warn({ behindMs, position }, 'public events are published late');
  }
}
