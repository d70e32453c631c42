import { LIMITS } from '@settle/config';
import { TOPICS } from '@settle/contracts';
import { Lease } from '@settle/postgres';
import { raisePublicEventEpoch } from './public-event-epoch.js';
import { PublishingRun, type PublishingDependencies } from './publishing-run.js';
import { isTopicAhead } from './topic-contradiction.js';

export interface PublishingProgress {
  /** Whether this instance publishes. */
  readonly isPublishing: boolean;
  /** Log position up to which events are published; 0 while another instance publishes. */
  readonly position: number;
  /** Age in ms of the oldest event that is read and not published. */
  readonly behindMs: number;
}

/** Publishes payment events, in one instance of the payments service at a time. */
export class Publisher {
  readonly #lease: Lease;
  /** The check of this process; null before it and after one that failed. */
  #isTopicAhead: Promise<boolean> | null = null;
  /** Null while another instance publishes. */
  #run: PublishingRun | null = null;
  #ended: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(private readonly dependencies: PublishingDependencies) {
    const { pool, logger, topic } = dependencies;
    topic.onTopicsLost(() => this.#fillTopicAgain());
    this.#lease = new Lease({
      pool,
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
    void this.#checkTopic().catch(() => undefined);
    return this.#lease.start();
  }

  /** Waits for the batch in progress, within bounds, and lets another instance take over at once. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#end(LIMITS.publishing.stopWaitMs);
    await this.#ended;
    await this.#lease.stop();
  }

  progress(): PublishingProgress {
    const run = this.#run;
    return { isPublishing: run !== null, position: run?.position ?? 0, behindMs: run?.behindMs ?? 0 };
  }

  /** Records that this instance may have published into the new topic, so that the next publisher does not continue there. */
  async #fillTopicAgain(): Promise<void> {
    if (this.#run !== null) await raisePublicEventEpoch(this.dependencies.pool);
  }

  #begin(fence: number): void {
    this.#end(0);
    if (this.#isStopped) return;
    const isHeld = () => this.#lease.isHeld;
    this.#run = new PublishingRun({
      ...this.dependencies,
      fence,
      isHeld,
      isTopicAhead: () => this.#checkTopic(),
      after: this.#ended,
    });
  }

  #checkTopic(): Promise<boolean> {
    const { topic, ...others } = this.dependencies;
    this.#isTopicAhead ??= isTopicAhead({ ...others, contents: topic.contents(TOPICS.paymentsEvents) }).catch(
      (error: unknown) => {
        this.#isTopicAhead = null;
        throw error;
      },
    );
    return this.#isTopicAhead;
  }

  #end(waitMs: number): void {
    const run = this.#run;
    this.#run = null;
    if (run !== null) this.#ended = run.stop(waitMs);
  }
}
