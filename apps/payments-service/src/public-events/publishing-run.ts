import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { TOPICS } from '@settle/contracts';
import { START, type EventStore, type StoredEvent, type Subscription } from '@settle/event-store';
import type { KafkaBus, TopicContents } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import type { Clock } from '../shared/clock.js';
import { PAYMENT_PREFIXES, readPaymentEvent } from '../storage/streams.js';
import { paymentChanges } from './payment-changes.js';
import { publicEnvelope, type PaymentChange } from './public-event.js';
import { FIRST_EPOCH, isRaised, readPublicEventEpoch } from './public-event-epoch.js';
import { PublishedPosition } from './published-position.js';
import type { TopicCheck } from './topic-check.js';
import { newestEpoch } from './topic-contradiction.js';

const { lateAfterMs, lateLookEveryMs, pauseMs } = LIMITS.publishing;
const { retryPauseMinMs, retryPauseMaxMs, eventsPerRead } = LIMITS.eventStore;

/** Where payment events are published, and what it holds. */
export interface PublicTopic extends Pick<KafkaBus, 'publish'> {
  contents(topic: typeof TOPICS.paymentsEvents): Pick<TopicContents, 'isEmpty' | 'newest' | 'deleteAll'>;
}

export interface PublishingParts {
  readonly store: EventStore;
  readonly pool: Pool;
  readonly topic: PublicTopic;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface PublishingRunOptions extends PublishingParts {
  readonly check: Pick<TopicCheck, 'contradiction'>;
  /** Of the lease: larger than that of every holder before. */
  readonly fence: number;
  /** Whether nobody else can have taken the lease yet. */
  readonly isHeld: () => boolean;
  /** Resolves when this process's run before this one has ended. */
  readonly after: Promise<void>;
}

/** The publishing is another's, or is to end here: nothing went wrong. */
class NotOurs extends Error {}

/** The topic holds what the ledger does not; the check has said so. */
class TopicContradicts extends Error {}

/**
 * Follows the payments' streams and publishes what happened, as long as this instance holds the lease. The position
 * moves once every replica has a batch, so what is published twice after a fault is never too little.
 */
export class PublishingRun {
  readonly #published: PublishedPosition;
  readonly #beginning: Promise<void>;
  readonly #lateTimer: NodeJS.Timeout;
  readonly #contents: ReturnType<PublicTopic['contents']>;
  #subscription: Subscription | null = null;
  #position = START;
  #epoch = FIRST_EPOCH;
  /** When the oldest event of the batch in hand happened. */
  #inHandSinceUs: number | null = null;
  #isStopped = false;
  #isGivenUp = false;
  #giveUp: () => void = () => undefined;

  constructor(private readonly options: PublishingRunOptions) {
    this.#contents = options.topic.contents(TOPICS.paymentsEvents);
    this.#published = new PublishedPosition(options.pool, options.fence);
    this.#lateTimer = setInterval(() => this.#tellIfLate(), lateLookEveryMs).unref();
    this.#beginning = options.after.then(() => this.#begin());
  }

  get position(): number {
    return this.#position;
  }

  /** How long ago the oldest event happened that is read and not published; 0 when there is none. */
  get behindMs(): number {
    if (this.#inHandSinceUs === null) return 0;
    return Math.max(0, (this.options.clock.nowUs() - this.#inHandSinceUs) / 1_000);
  }

  /** Begins no further batch; leaves the one in hand so long, and then to whoever publishes next. */
  async stop(waitMs: number): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#lateTimer);
    const timer = setTimeout(() => this.#endWork(), waitMs);
    await this.#beginning;
    await this.#subscription?.stop();
    clearTimeout(timer);
  }

  #endWork(): void {
    this.#isGivenUp = true;
    this.#giveUp();
  }

  async #begin(): Promise<void> {
    for (let retryMs: number = retryPauseMinMs; !this.#isStopped; retryMs = Math.min(retryMs * 2, retryPauseMaxMs)) {
      try {
        this.#follow(await this.#start());
        return;
      } catch (err) {
        if (err instanceof NotOurs) return;
        if (!(err instanceof TopicContradicts)) {
          this.options.logger.error({ err }, 'payment events cannot be published yet, another try follows');
        }
      }
      await pause(retryMs);
    }
  }

  /**
   * Where to go on. On a broker that is new, or has lost the topic, everything is published again; so it is, on an
   * empty topic, after a restore has raised the epoch.
   */
  async #start(): Promise<number> {
    const { pool, check } = this.options;
    const position = await this.#published.claim();
    if (position === null) throw new NotOurs();
    const epoch = await readPublicEventEpoch(pool);
    if (isRaised(epoch)) return this.#emptyTopic(epoch.epoch);
    this.#epoch = epoch.epoch;
    if ((await this.#unlessGivenUp(check.contradiction())) !== null) throw new TopicContradicts();
    if (position === START || !(await this.#unlessGivenUp(this.#contents.isEmpty()))) return position;
    // Before anything is published: from then on the topic is no longer empty.
    if (!(await this.#published.moveTo(START))) throw new NotOurs();
    return START;
  }

  /** A backup that is restored a second time would raise the epoch to one that consumers have seen: it goes above. */
  async #emptyTopic(raisedTo: number): Promise<number> {
    const { isHeld, logger } = this.options;
    const newest = await this.#unlessGivenUp(this.#contents.newest());
    this.#epoch = Math.max(raisedTo, newestEpoch(newest) + 1);
    if (!isHeld()) throw new NotOurs();
    logger.warn(
      { epoch: this.#epoch },
      'the ledger was restored: the topic of payment events is emptied and filled again',
    );
    await this.#unlessGivenUp(this.#contents.deleteAll());
    if (!(await this.#published.fillUnder(this.#epoch))) throw new NotOurs();
    return START;
  }

  #follow(after: number): void {
    if (this.#isStopped) return;
    const { store, logger, fence } = this.options;
    logger.info({ fence, position: after, epoch: this.#epoch }, 'this instance publishes payment events');
    this.#position = after;
    this.#subscription = store.subscribe({
      streamPrefixes: PAYMENT_PREFIXES,
      after,
      batchSize: eventsPerRead,
      handle: (events, upTo) => this.#publish(events, upTo),
      onError: (err) => {
        if (err instanceof NotOurs) return;
        logger.error({ err, position: this.#position }, 'payment events are not published, the same ones come again');
      },
    });
  }

  async #publish(events: readonly StoredEvent[], upTo: number): Promise<void> {
    const [oldest] = events;
    this.#inHandSinceUs = oldest === undefined ? null : readPaymentEvent(oldest).data.atUs;
    const payments = await paymentChanges(this.options.store, events);
    await this.#unlessGivenUp(this.#send(payments));
    if (!(await this.#published.moveTo(upTo))) {
      // Not awaited: this runs within the batch that it would wait for.
      void this.#subscription?.stop();
      throw new NotOurs();
    }
    this.#position = upTo;
    this.#inHandSinceUs = null;
    // Few large batches leave more of the broker to those who wait for an answer.
    if (!this.#isStopped) await pause(pauseMs);
  }

  /** Payments side by side, each payment's events one after the other: a failure between two leaves no gap. */
  async #send(payments: readonly PaymentChange[][]): Promise<void> {
    const { topic, isHeld } = this.options;
    const sending = payments.map(async (changes) => {
      for (const change of changes) {
        if (this.#isGivenUp || !isHeld()) throw new NotOurs();
        await topic.publish(publicEnvelope(change, this.#epoch));
      }
    });
    const outcomes = await Promise.allSettled(sending);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** A broker that is away keeps whoever asks it waiting; then this run ends all the same. */
  #unlessGivenUp<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#giveUp = () => reject(new NotOurs());
      if (this.#isGivenUp) this.#giveUp();
      work.then(resolve, reject);
    });
  }

  #tellIfLate(): void {
    const { behindMs, position } = this;
    if (behindMs >= lateAfterMs) this.options.logger.warn({ behindMs, position }, 'payment events are published late');
  }
}
