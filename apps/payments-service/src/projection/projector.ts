import { sleep } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { START } from '@settle/event-store';
import { traced } from '@settle/observability';
import { Lease, Listener } from '@settle/postgres';
import { OpenedLog } from '../data-keys/opened-log.js';
import type { PaymentTexts } from '../data-keys/payment-texts.js';
import { LEDGER_PROJECTION } from '../read-models/ledger/ledger-projection.js';
import { PROJECTIONS } from '../read-models/registry.js';
import { PROJECTION, readCheckpoint } from './checkpoints.js';
import { PositionWaiters } from './position-waiters.js';
import { ProjectionLag } from './projection-lag.js';
import { ProjectionRun, type ProjectionRunOptions } from './projection-run.js';

const { progressPollMs, readModelWaitMs, stalledPollMs, sumsGatherMs } = LIMITS.payments;

export interface ProjectionDependencies extends Pick<
  ProjectionRunOptions,
  'store' | 'pool' | 'clock' | 'logger' | 'changes'
> {
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
  /** Decrypts what the read models of the ledger show. */
  readonly texts: PaymentTexts;
  /** Channel on which instances notify each other of the position of the read models. */
  readonly progressChannel: string;
}

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
  /** One for each projection, that of the ledger first; empty while another instance writes. */
  #runs: readonly ProjectionRun[] = [];
  #position = START;
  #isPolling = false;
  #replacedTexts = 0;

  constructor(private readonly dependencies: ProjectionDependencies) {}

  /** Resolves once this instance writes, knows that another one does, or could not read the lease. */
  async start(): Promise<void> {
    const { pool, logger, isOnlyInstance } = this.dependencies;
    // Rows may have been lost since it was stopped.
    this.#position = START;
    this.#listener = isOnlyInstance ? this.#listenForCutovers() : this.#listen();
    this.#lease = new Lease({
      pool,
      name: PROJECTION,
      logger,
      isOnlyInstance,
      onHeld: (fence) => this.#project(fence),
      onLost: () => void this.#stopRuns(),
    });
    await this.#lease.start();
  }

  /** Completes the write in progress and releases the lease, so that another instance takes over at once. */
  async stop(): Promise<void> {
    const lease = this.#lease;
    const listener = this.#listener;
    this.#lease = null;
    this.#listener = null;
    await this.#stopRuns();
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
    this.expectPosition(position);
    if (this.#isStalled()) return Promise.resolve(false);
    return this.#waiters.wait(position, readModelWaitMs);
  }

  /**
   * Records a position that the read models are to reach although nothing waits for it yet. Returns for how long, in ms, they
   * have been behind.
   */
  expectPosition(position: number): number {
    if (position <= this.#position) return 0;
    this.#lag.recordWait(position);
    if (this.#run === undefined) void this.#pollWhileAwaited();
    return this.progress().behindMs;
  }

  progress(): ProjectionProgress {
    const run = this.#run;
    const behindMs = Math.max(run?.behindMs ?? 0, this.#lag.behindMs);
    return { isProjecting: run !== undefined, position: this.#position, behindMs, replacedTexts: this.#replacedTexts };
  }

  /** The run of the ledger's projection. */
  get #run(): ProjectionRun | undefined {
    return this.#runs[0];
  }

  #isStalled(): boolean {
    return this.#lag.behindMs > readModelWaitMs;
  }

  #project(fence: number): void {
    if (this.#lease === null) return;
    const { logger, isOnlyInstance, progressChannel } = this.dependencies;
    if (!isOnlyInstance) logger.info({ fence }, 'this instance writes the read models');
    // A lease that was lost and acquired again between two checks starts runs without `onLost`: the earlier ones still have connections.
    void stopAll(this.#runs);
    const common = {
      ...this.dependencies,
      fence,
      onReplaced: (payments: number) => void (this.#replacedTexts += payments),
    };
    const run: ProjectionRun = new ProjectionRun({
      ...common,
      projection: LEDGER_PROJECTION,
      store: new OpenedLog(this.dependencies.store, this.dependencies.texts),
      gatherMs: 0,
      progressChannel: isOnlyInstance ? null : progressChannel,
      onPosition: (position) => {
        if (this.#run === run) this.#setPosition(position);
      },
    });
    // No response waits for the others, and none of them has texts.
    const rest = {
      ...common,
      changes: undefined,
      gatherMs: sumsGatherMs,
      progressChannel: null,
      onPosition: () => undefined,
    };
    const others = PROJECTIONS.filter((projection) => projection !== LEDGER_PROJECTION);
    this.#runs = [run, ...others.map((projection) => new ProjectionRun({ ...rest, projection }))];
  }

  async #stopRuns(): Promise<void> {
    const runs = this.#runs;
    this.#runs = [];
    void this.#pollWhileAwaited();
    await stopAll(runs);
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

  /** The operators' command that rebuilds tables is another process. */
  #listenForCutovers(): Listener | null {
    const { pool, logger, progressChannel, changes } = this.dependencies;
    if (changes === undefined) return null;
    const forget = () => changes.recordAll();
    return new Listener({
      pool,
      channel: progressChannel,
      onNotification: forget,
      onListening: forget,
      onError: (err) => logger.warn({ err }, 'notifications of rebuilt read models not received; reconnecting'),
    });
  }

  async #pollWhileAwaited(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    while (this.#lease !== null && this.#run === undefined && !(this.#waiters.isEmpty && this.#lag.isCaughtUp)) {
      const pauseMs = this.#isStalled() ? stalledPollMs : progressPollMs;
      await sleep(pauseMs);
      await this.#readCheckpoint();
    }
    this.#isPolling = false;
  }

  /** The position may decrease: a database that crashed or was restored may have lost the last rows. */
  async #readCheckpoint(): Promise<void> {
    try {
      const position = await readCheckpoint(this.dependencies.pool, PROJECTION);
      if (this.#run === undefined) this.#setPosition(position);
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

async function stopAll(runs: readonly ProjectionRun[]): Promise<void> {
  await Promise.all(runs.map((run) => run.stop()));
}
