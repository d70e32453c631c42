import { LIMITS } from '@settle/config';
import { traced } from '@settle/observability';
import { Lease, Listener } from '@settle/postgres';
import { PROJECTION, readCheckpoint } from './checkpoints.js';
import { PositionWaiters } from './position-waiters.js';
import { ProjectionLag } from './projection-lag.js';
import { ProjectionRun, type ProjectionDependencies } from './projection-run.js';

const { progressPollMs, readModelWaitMs, stalledPollMs } = LIMITS.payments;

export interface ProjectionProgress {
  /** Whether this instance writes the read models. */
  readonly isProjecting: boolean;
  /** Log position up to which the read models are known to be written. */
  readonly position: number;
  /**
   * How long the read models have been behind, in ms: since the batch arrived that this instance writes, or since a response
   * of this instance first waited for a position that is not reached.
   */
  readonly behindMs: number;
  /** Payments that this instance wrote with replaced characters. */
  readonly replacedTexts: number;
}

/**
 * Tracks the position of the read models. One instance, the holder of the lease, writes them; its transactions notify the
 * others, which also read the checkpoint themselves while a response waits.
 */
export class Projector {
  readonly #waiters = new PositionWaiters();
  readonly #lag = new ProjectionLag();
  #lease: Lease | null = null;
  #listener: Listener | null = null;
  /** Null while another instance writes. */
  #run: ProjectionRun | null = null;
  #position = 0;
  #isPolling = false;
  #replacedTexts = 0;

  constructor(private readonly dependencies: ProjectionDependencies) {}

  /** Resolves once this instance writes, knows that another one does, or could not read the lease. */
  async start(): Promise<void> {
    const { pool, logger, isOnlyInstance } = this.dependencies;
    if (!isOnlyInstance) this.#listener = this.#listen();
    this.#lease = new Lease({
      pool,
      name: PROJECTION,
      logger,
      isOnlyInstance,
      onHeld: (fence) => this.#project(fence),
      onLost: () => void this.#stopRun(),
    });
    await this.#lease.start();
  }

  /** Completes the write in progress and releases the lease, so that another instance takes over at once. */
  async stop(): Promise<void> {
    const lease = this.#lease;
    const listener = this.#listener;
    this.#lease = null;
    this.#listener = null;
    await this.#stopRun();
    await Promise.all([lease?.stop(), listener?.stop()]);
    this.#waiters.release();
  }

  /**
   * Waits until the read models have reached a log position. Returns false after 2 s, and at once while they have been
   * behind for longer than that: waiting would only occupy request slots.
   * @param parent W3C `traceparent` of the span that waits
   */
  waitForPosition(position: number, parent?: string): Promise<boolean> {
    return traced('wait for read models', { kind: 'internal', parent }, () => this.#wait(position));
  }

  #wait(position: number): Promise<boolean> {
    if (position <= this.#position) return Promise.resolve(true);
    this.#lag.recordWait(position);
    if (this.#run === null) void this.#pollWhileAwaited();
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
    const { logger, isOnlyInstance, progressChannel } = this.dependencies;
    if (!isOnlyInstance) logger.info({ fence }, 'this instance writes the read models');
    const run = new ProjectionRun({
      ...this.dependencies,
      progressChannel: isOnlyInstance ? null : progressChannel,
      fence,
      onPosition: (position) => {
        if (this.#run === run) this.#setPosition(position);
      },
      onReplaced: (payments) => void (this.#replacedTexts += payments),
    });
    // A lease that was lost and acquired again between two checks starts a run without `onLost`: the earlier run still has a connection.
    const previous = this.#run;
    this.#run = run;
    void previous?.stop();
  }

  async #stopRun(): Promise<void> {
    const run = this.#run;
    this.#run = null;
    void this.#pollWhileAwaited();
    await run?.stop();
  }

  #listen(): Listener {
    const { pool, logger, progressChannel } = this.dependencies;
    return new Listener({
      pool,
      channel: progressChannel,
      onNotification: (payload) => {
        if (Number(payload) > this.#position) this.#setPosition(Number(payload));
      },
      onListening: () => void this.#readCheckpoint(),
      onError: (err) =>
        logger.warn({ err }, 'notifications of the read models not received; polling the checkpoint instead'),
    });
  }

  async #pollWhileAwaited(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    while (this.#lease !== null && this.#run === null && !(this.#waiters.isEmpty && this.#lag.isCaughtUp)) {
      const pauseMs = this.#isStalled() ? stalledPollMs : progressPollMs;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      await this.#readCheckpoint();
    }
    this.#isPolling = false;
  }

  /** The position may decrease: a database that crashed or was restored may have lost the last rows. */
  async #readCheckpoint(): Promise<void> {
    try {
      const position = await readCheckpoint(this.dependencies.pool, PROJECTION);
      if (this.#run === null) this.#setPosition(position);
    } catch (err) {
      this.dependencies.logger.warn({ err }, 'checkpoint of the read models not read; retrying');
    }
  }

  #setPosition(position: number): void {
    this.#position = position;
    this.#lag.recordReached(position);
    this.#waiters.notify(position);
  }
}
