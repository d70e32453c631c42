import { retry, sleep } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { START, type EventStore, type StoredEvent, type Subscription } from '@settle/event-store';
import type { BatchProjector, ProjectorDependencies } from '../read-models/projection.js';
import { ProjectionWriter, type ProjectionWriterOptions } from './projection-writer.js';

export interface ProjectionRunOptions extends Omit<ProjectionWriterOptions, 'onLost'>, ProjectorDependencies {
  readonly store: Pick<EventStore, 'readStream' | 'subscribe'>;
  /** Pause in which more events gather before the next batch, so that it writes each row once. */
  readonly gatherMs: number;
  /** Called with each new position of the read models; an earlier one after the database lost rows. */
  readonly onPosition: (position: number) => void;
}

/** Another instance has the lease or has had it since. */
class FencedOut extends Error {
  constructor() {
    super('Another instance writes the read models');
    this.name = 'FencedOut';
  }
}

/** Projects events into the tables of a projection from its checkpoint on, until it is stopped or fenced out. */
export class ProjectionRun {
  readonly #writer: ProjectionWriter;
  readonly #projector: BatchProjector;
  readonly #starting: Promise<void>;
  readonly #stopping = new AbortController();
  #subscription: Subscription | null = null;
  /** The check after the connection was lost; null if there is none. */
  #verifying: Promise<void> | null = null;
  #position = 0;
  /** When the batch in progress arrived, by `performance.now()`; null if there is none. */
  #batchSinceMs: number | null = null;

  constructor(private readonly options: ProjectionRunOptions) {
    this.#writer = new ProjectionWriter({ ...options, onLost: () => this.#verify() });
    this.#projector = options.projection.createProjector(options);
    this.#starting = this.#start();
  }

  /** Milliseconds since the batch in progress arrived, failed attempts included; 0 if there is none. */
  get behindMs(): number {
    return this.#batchSinceMs === null ? 0 : performance.now() - this.#batchSinceMs;
  }

  /** Resolves when no write is in progress. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.options.changes?.suspend();
    await this.#starting;
    await this.#verifying;
    await this.#subscription?.stop();
    this.#writer.connection.close();
  }

  async #start(): Promise<void> {
    const position = await this.#untilClaimed(async () => {
      const checkpoint = await this.#writer.connection.claim();
      if (checkpoint === null) throw new FencedOut();
      return this.#emptyIfChanged(checkpoint);
    });
    if (position !== null && !this.#stopping.signal.aborted) this.#follow(position);
  }

  /** Returns the result of a claim, which is tried until it succeeds; null once the run is stopped. */
  async #untilClaimed(claim: () => Promise<number | null>): Promise<number | null> {
    const { signal } = this.#stopping;
    const { retryPauseMinMs: minPauseMs, retryPauseMaxMs: maxPauseMs } = LIMITS.eventStore;
    const { logger, projection } = this.options;
    const onError = (err: unknown) => {
      if (signal.aborted) return;
      logger.error({ err, name: projection.name }, 'checkpoint of the read models not claimed; retrying');
    };
    return retry(claim, { signal, minPauseMs, maxPauseMs, onError }).catch(() => null);
  }

  /** A connection that is lost again during the check is claimed again by it. */
  #verify(): void {
    this.#verifying ??= this.#verifyPosition().finally(() => (this.#verifying = null));
  }

  /**
   * Goes back to the checkpoint if the database has lost rows together with the connection: without a next event no failed
   * write would show it. A batch in progress notices it itself.
   */
  async #verifyPosition(): Promise<void> {
    const isIdle = () => this.#subscription !== null && this.#batchSinceMs === null;
    if (!isIdle() || this.#stopping.signal.aborted) return;
    this.options.changes?.suspend();
    const checkpoint = await this.#untilClaimed(async () => (isIdle() ? this.#writer.connection.claim() : null));
    if (checkpoint === null || !isIdle() || this.#stopping.signal.aborted) return;
    if (checkpoint >= this.#position) return this.options.changes?.resume();
    const subscription = this.#subscription;
    await subscription?.stop();
    // A batch that came meanwhile has gone back itself.
    if (this.#subscription === subscription && !this.#stopping.signal.aborted) this.#follow(checkpoint);
  }

  /**
   * Returns the position from which to project. Rows that another version of the projection has written are removed first,
   * unless responses need them.
   */
  async #emptyIfChanged(position: number): Promise<number> {
    const { projection, logger } = this.options;
    const { name, version, kind } = projection;
    const stored = await this.#writer.readVersion(position);
    if (stored === version) return position;
    if (kind === 'ledger') {
      logger.warn({ name, stored, version }, 'read models are of another version; rebuild them: npm run projections');
      return position;
    }
    logger.info({ name, stored, version }, 'read model is of another version; projecting from the first event on');
    await this.#writer.empty(position, this.#stopping.signal);
    return START;
  }

  #follow(after: number): void {
    const { store, projection, logger, onPosition, changes } = this.options;
    this.#position = after;
    this.#batchSinceMs = null;
    this.#projector.reset?.();
    changes?.resume();
    onPosition(after);
    this.#subscription = store.subscribe({
      streamPrefixes: projection.streamPrefixes,
      after,
      batchSize: LIMITS.eventStore.eventsPerRead,
      progressAfterMs: LIMITS.payments.checkpointAfterMs,
      handle: (events, upTo) => this.#project(events, upTo),
      onError: (err) => {
        const { name } = projection;
        if (err instanceof FencedOut) logger.warn({ name }, 'another instance writes the read models; this one stops');
        else logger.error({ err, name }, 'read models not written; retrying with the same events');
      },
    });
  }

  async #project(events: readonly StoredEvent[], upTo: number): Promise<void> {
    const { changes: tracker } = this.options;
    this.#batchSinceMs ??= performance.now();
    const isFull = [events.length, upTo - this.#position].includes(LIMITS.eventStore.eventsPerRead);
    while (this.#position < upTo) {
      const left = events.filter(({ position }) => position > this.#position);
      const changes = await this.#projector.project(left);
      try {
        await this.#writer.write(changes, this.#position, upTo, left.at(-1) ?? null);
        this.#position = upTo;
        this.#projector.recordWritten?.();
      } catch (error) {
        this.#projector.reset?.();
        // The commit may happen later, or have happened. A run that was stopped leaves this to the next one.
        if (!this.#stopping.signal.aborted) tracker?.suspend();
        await this.#goToCheckpoint(error);
      }
    }
    this.#batchSinceMs = null;
    if (!this.#stopping.signal.aborted) tracker?.resume();
    this.options.onPosition(this.#position);
    if (this.options.gatherMs > 0 && !isFull) await sleep(this.options.gatherMs, this.#stopping.signal);
  }

  /**
   * Continues at the checkpoint after a failed write. It is ahead if the response to a commit was lost, or if this process
   * held the lease before and was still writing. It is behind if the database was restored or lost its last transactions in
   * a crash, rows and checkpoint together: these events are projected again.
   */
  async #goToCheckpoint(error: unknown): Promise<void> {
    const checkpoint = await this.#writer.connection.claim();
    if (checkpoint !== null && checkpoint > this.#position) {
      this.#position = checkpoint;
      return;
    }
    if (checkpoint === this.#position) throw error;
    // Not awaited: stopping waits for the batch in which this runs.
    void this.#subscription?.stop();
    if (checkpoint === null) throw new FencedOut();
    if (!this.#stopping.signal.aborted) this.#follow(checkpoint);
    throw error;
  }
}
