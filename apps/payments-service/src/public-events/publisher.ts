import { LIMITS } from '@settle/config';
import { TOPICS } from '@settle/contracts';
import { Lease } from '@settle/postgres';
import { PublishingRun, type PublishingParts } from './publishing-run.js';
import { TopicCheck } from './topic-check.js';

export interface PublishingProgress {
  /** Whether it is this instance that publishes. */
  readonly isPublishing: boolean;
  /** Of the event store: everything up to here is published. 0 where another instance publishes. */
  readonly position: number;
  /** How long ago the oldest event happened that is read and not published. */
  readonly behindMs: number;
}

/** Publishes the payments' events, in one instance of the payments service at a time. */
export class Publisher {
  readonly #lease: Lease;
  readonly #check: TopicCheck;
  /** Null while another instance publishes. */
  #run: PublishingRun | null = null;
  #ended: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(private readonly parts: PublishingParts) {
    const { pool, logger, store, topic } = parts;
    this.#check = new TopicCheck({ store, pool, contents: topic.contents(TOPICS.paymentsEvents), logger });
    this.#lease = new Lease({
      pool,
      name: TOPICS.paymentsEvents,
      logger,
      isOnlyInstance: false,
      onHeld: (fence) => this.#begin(fence),
      onLost: () => this.#end(0),
    });
  }

  /** Resolves once this instance publishes, or another does; waits for no broker. */
  start(): Promise<void> {
    // Also where another instance publishes: whoever takes over later has no time for it. A run reports its failures.
    void this.#check.contradiction().catch(() => undefined);
    return this.#lease.start();
  }

  /** Lets the batch in hand go out, within bounds, and another instance take over at once. */
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

  #begin(fence: number): void {
    this.#end(0);
    if (this.#isStopped) return;
    const isHeld = () => this.#lease.isHeld;
    this.#run = new PublishingRun({ ...this.parts, check: this.#check, fence, isHeld, after: this.#ended });
  }

  #end(waitMs: number): void {
    const run = this.#run;
    this.#run = null;
    if (run !== null) this.#ended = run.stop(waitMs);
  }
}
