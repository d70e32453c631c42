import { LIMITS } from '@settle/config';
import { traced } from '@settle/observability';
import { Lease, Listener } from '@settle/postgres';
import { PositionWaiters } from './position-waiters.js';
import { ProjectionRun, type ProjectionParts } from './projection-run.js';
import { PROJECTION } from './read-model-writer.js';

const { progressPollMs, readModelWaitMs } = LIMITS.payments;

const READ_CHECKPOINT = { name: 'read-checkpoint', text: 'select position from checkpoints where name = $1' };

export interface ProjectionProgress {
  /** Whether it is this instance that writes the read models. */
  readonly isProjecting: boolean;
  /** Of the event store: up to here they are known to be written. */
  readonly position: number;
  /** How long the events that this instance is writing have been in hand. */
  readonly behindMs: number;
}

/**
 * Knows how far the read models have come. Of all instances one writes them, the holder of the lease, and so knows
 * for itself; the others hear it from its transactions, and look for themselves while somebody waits.
 */
export class Projector {
  readonly #waiters = new PositionWaiters();
  #lease: Lease | null = null;
  #listener: Listener | null = null;
  /** Null while another instance writes. */
  #run: ProjectionRun | null = null;
  #position = 0;
  #isLooking = false;

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
   * Waits until the read models show what stands at `position`. False when they are too slow: the money is safe.
   * @param parent W3C `traceparent` of the span that waits
   */
  reached(position: number, parent?: string): Promise<boolean> {
    return traced('wait for read models', { kind: 'internal', parent }, () => this.#untilReached(position));
  }

  #untilReached(position: number): Promise<boolean> {
    if (position <= this.#position) return Promise.resolve(true);
    const reached = this.#waiters.wait(position, readModelWaitMs);
    if (this.#run === null) void this.#lookWhileAwaited();
    return reached;
  }

  progress(): ProjectionProgress {
    const run = this.#run;
    return { isProjecting: run !== null, position: this.#position, behindMs: run?.behindMs ?? 0 };
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
    });
    this.#run = run;
  }

  async #leaveToOthers(): Promise<void> {
    const run = this.#run;
    this.#run = null;
    if (!this.#waiters.isEmpty) void this.#lookWhileAwaited();
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
    while (this.#lease !== null && this.#run === null && !this.#waiters.isEmpty) {
      await new Promise((resolve) => setTimeout(resolve, progressPollMs));
      await this.#look();
    }
    this.#isLooking = false;
  }

  /** Goes back as well: a database that crashed, or was restored, may have lost the last rows of the read models. */
  async #look(): Promise<void> {
    try {
      const { rows } = await this.parts.pool.query<{ position: string }>({ ...READ_CHECKPOINT, values: [PROJECTION] });
      if (this.#run === null) this.#goTo(Number(rows[0]?.position ?? 0));
    } catch (err) {
      this.parts.logger.warn({ err }, 'the progress of the read models cannot be read');
    }
  }

  #goTo(position: number): void {
    this.#position = position;
    this.#waiters.passed(position);
  }
}
