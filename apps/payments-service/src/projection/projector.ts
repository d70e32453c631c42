import { LIMITS } from '@settle/config';
import { traced } from '@settle/observability';
import { Lease, Listener } from '@settle/postgres';
import { PROJECTION, readCheckpoint } from './checkpoints.js';
import { PositionWaiters } from './position-waiters.js';
import { ProjectionLag } from './projection-lag.js';
import { ProjectionRun, type ProjectionParts } from './projection-run.js';

const { progressPollMs, readModelWaitMs, stalledPollMs } = LIMITS.payments;

export interface ProjectionProgress {
  /** Whether it is this instance that writes the read models. */
  readonly isProjecting: boolean;
  /** Of the event store: up to here they are known to be written. */
  readonly position: number;
  /**
   * How long the read models have been behind: since the events came that this instance is writing, or since an answer
   * of this instance first needed a position that is not reached.
   */
  readonly behindMs: number;
  /** Payments that this instance wrote with a text in which something was replaced. */
  readonly replacedTexts: number;
}

/**
 * Knows how far the read models have come. Of all instances one writes them, the holder of the lease, and so knows
 * for itself; the others hear it from its transactions, and look for themselves while somebody waits.
 */
export class Projector {
  readonly #waiters = new PositionWaiters();
  readonly #lag = new ProjectionLag();
  #lease: Lease | null = null;
  #listener: Listener | null = null;
  /** Null while another instance writes. */
  #run: ProjectionRun | null = null;
  #position = 0;
  #isLooking = false;
  #replacedTexts = 0;

  constructor(private readonly parts: ProjectionParts) {}

  /** Resolves once this instance projects, or knows that another does, or could not ask. */
  async start(): Promise<void> {
    const { pool, logger, isOnlyInstance } = this.parts;
    if (!isOnlyInstance) this.#listener = this.#listen();
    this.#lease = new Lease({
      pool,
      name: PROJECTION,
      logger,
      isOnlyInstance,
      onHeld: (fence) => this.#project(fence),
      onLost: () => void this.#leaveToOthers(),
    });
    await this.#lease.start();
  }

  /** Ends what is being written, then lets another instance take over at once. */
  async stop(): Promise<void> {
    const lease = this.#lease;
    const listener = this.#listener;
    this.#lease = null;
    this.#listener = null;
    await this.#leaveToOthers();
    await Promise.all([lease?.stop(), listener?.stop()]);
    this.#waiters.release();
  }

  /**
   * Waits until the read models show what stands at `position`. False when they are too slow: the money is safe. At once
   * when they have been behind for longer than any answer waits: waiting would only hold the caller's place.
   * @param parent W3C `traceparent` of the span that waits
   */
  reached(position: number, parent?: string): Promise<boolean> {
    return traced('wait for read models', { kind: 'internal', parent }, () => this.#untilReached(position));
  }

  #untilReached(position: number): Promise<boolean> {
    if (position <= this.#position) return Promise.resolve(true);
    this.#lag.needs(position);
    if (this.#run === null) void this.#lookWhileAwaited();
    if (this.#isStalled()) return Promise.resolve(false);
    return this.#waiters.wait(position, readModelWaitMs);
  }

  progress(): ProjectionProgress {
    const run = this.#run;
    const behindMs = Math.max(run?.behindMs ?? 0, this.#lag.behindMs);
    return { isProjecting: run !== null, position: this.#position, behindMs, replacedTexts: this.#replacedTexts };
  }

  #isStalled(): boolean {
    return this.#lag.behindMs > readModelWaitMs;
  }

  #project(fence: number): void {
    if (this.#lease === null) return;
    const { logger, isOnlyInstance, progressChannel } = this.parts;
    if (!isOnlyInstance) logger.info({ fence }, 'this instance writes the read models');
    const run = new ProjectionRun({
      ...this.parts,
      tellsOthersOn: isOnlyInstance ? null : progressChannel,
      fence,
      onPosition: (position) => {
        if (this.#run === run) this.#goTo(position);
      },
      onReplaced: (payments) => void (this.#replacedTexts += payments),
    });
    // A lease that was lost and taken again between two looks begins anew without a loss: the run before still has a connection.
    const before = this.#run;
    this.#run = run;
    void before?.stop();
  }

  async #leaveToOthers(): Promise<void> {
    const run = this.#run;
    this.#run = null;
    void this.#lookWhileAwaited();
    await run?.stop();
  }

  #listen(): Listener {
    const { pool, logger, progressChannel } = this.parts;
    return new Listener({
      pool,
      channel: progressChannel,
      onNotification: (payload) => {
        if (Number(payload) > this.#position) this.#goTo(Number(payload));
      },
      onListening: () => void this.#look(),
      onError: (err) => logger.warn({ err }, 'the progress of the read models is not heard, it is looked for instead'),
    });
  }

  async #lookWhileAwaited(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#lease !== null && this.#run === null && !(this.#waiters.isEmpty && this.#lag.isNone)) {
      const pauseMs = this.#isStalled() ? stalledPollMs : progressPollMs;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await this.#look();
    }
    this.#isLooking = false;
  }

  /** Goes back as well: a database that crashed, or was restored, may have lost the last rows of the read models. */
  async #look(): Promise<void> {
    try {
      const position = await readCheckpoint(this.parts.pool, PROJECTION);
      if (this.#run === null) this.#goTo(position);
    } catch (err) {
      this.parts.logger.warn({ err }, 'the progress of the read models cannot be read');
    }
  }

  #goTo(position: number): void {
    this.#position = position;
    this.#lag.reached(position);
    this.#waiters.passed(position);
  }
}
