import { settlesWithin } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { TOPICS } from '@settle/contracts';
import { Lease } from '@settle/postgres';
import { raisePublicEventEpoch } from './public-event-epoch.js';
import type { PublishedTopic } from './published-topics.js';
import { PublishingRun, type PublishingDependencies } from './publishing-run.js';
import { isTopicAhead } from './topic-contradiction.js';
import { WatermarkWriter } from './watermark-writer.js';

export interface PublishingProgress {
  /** Whether this instance publishes. */
  readonly isPublishing: boolean;
  /** Log position up to which every topic is filled; 0 while another instance publishes. */
  readonly position: number;
  /** Age in ms of the oldest event that is read and not published. */
  readonly behindMs: number;
}

/** Publishes public events on their topics, in one instance of the payments service at a time. */
export class Publisher {
  readonly #lease: Lease;
  /** The checks of this process, by topic; none before a check and after one that failed. */
  readonly #topicsAhead = new Map<string, Promise<boolean>>();
  /** One for each topic; none while another instance publishes. */
  #runs: readonly PublishingRun[] = [];
  #watermarks: WatermarkWriter | null = null;
  #ended: Promise<unknown> = Promise.resolve();
  #watermarksEnded: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(
    private readonly dependencies: PublishingDependencies,
    private readonly topics: readonly PublishedTopic[],
  ) {
    const { pool, logger, bus } = dependencies;
    bus.onTopicsLost(() => this.#fillTopicsAgain());
    this.#lease = new Lease({
      pool,
      // The name from before there were others; instances of that release compete for it.
      name: TOPICS.paymentsEvents,
      logger,
      isOnlyInstance: false,
      onHeld: (fence) => this.#begin(fence),
      onLost: () => this.#end(0),
    });
  }

  /** Resolves once this instance or another one holds the lease; does not wait for a broker. */
  start(): Promise<void> {
    // Also while another instance publishes: after a takeover there is no time for it. A run logs its failures.
    for (const topic of this.topics) void this.#checkTopic(topic).catch(() => undefined);
    return this.#lease.start();
  }

  /** Waits for the batch in progress, within bounds, and lets another instance take over at once. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#end(LIMITS.publishing.stopWaitMs);
    await this.#ended;
    await settlesWithin(this.#watermarksEnded, LIMITS.publishing.stopWaitMs);
    await this.#lease.stop();
  }

  progress(): PublishingProgress {
    const runs = this.#runs;
    const isPublishing = runs.length > 0;
    return {
      isPublishing,
      position: isPublishing ? Math.min(...runs.map(({ position }) => position)) : 0,
      behindMs: Math.max(0, ...runs.map(({ behindMs }) => behindMs)),
    };
  }

  /** Records that this instance may have published into new topics, so that the next publisher does not continue there. */
  async #fillTopicsAgain(): Promise<void> {
    if (this.#runs.length > 0) await raisePublicEventEpoch(this.dependencies.pool);
  }

  #begin(fence: number): void {
    this.#end(0);
    if (this.#isStopped) return;
    const isHeld = () => this.#lease.isHeld;
    const after = this.#ended;
    this.#runs = this.topics.map((published) => {
      const isTopicAhead = () => this.#checkTopic(published);
      const logger = this.dependencies.logger.child({ topic: published.topic });
      return new PublishingRun({ ...this.dependencies, logger, published, fence, isHeld, isTopicAhead, after });
    });
    const { bus, clock, logger } = this.dependencies;
    const progress = () => this.#runs.flatMap((run) => run.progress ?? []);
    this.#watermarks = new WatermarkWriter({ bus, progress, isHeld, clock, logger });
    this.#watermarks.start();
  }

  #checkTopic(published: PublishedTopic): Promise<boolean> {
    const { topic } = published;
    const known = this.#topicsAhead.get(topic);
    if (known !== undefined) return known;
    const { bus, ...others } = this.dependencies;
    const check = isTopicAhead({ ...others, published, contents: bus.contents(topic) });
    this.#topicsAhead.set(topic, check);
    check.catch(() => this.#topicsAhead.delete(topic));
    return check;
  }

  #end(waitMs: number): void {
    const [runs, watermarks] = [this.#runs, this.#watermarks];
    this.#runs = [];
    this.#watermarks = null;
    if (runs.length > 0) this.#ended = Promise.all(runs.map((run) => run.stop(waitMs)));
    // No run waits for it: its record in progress stays true.
    if (watermarks !== null) this.#watermarksEnded = watermarks.stop();
  }
}
