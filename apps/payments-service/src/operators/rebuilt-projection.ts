import { retry, withTimeout } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Environment } from '@settle/contracts';
import { START, type EventStore, type ReadableLog } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import type { ClientBase, Pool } from 'pg';
import { OpenedLog } from '../data-keys/opened-log.js';
import type { PaymentTexts } from '../data-keys/payment-texts.js';
import { readCheckpoint } from '../projection/checkpoints.js';
import { ProjectionWriter } from '../projection/projection-writer.js';
import type { BatchProjector, Projection, ReadModel } from '../read-models/projection.js';
import type { Clock } from '../storage/clock.js';
import { replay, wholeLogOf } from './replay.js';

const { silenceMs, nearMs, catchUps } = LIMITS.operators;
const { retryPauseMinMs: minPauseMs, retryPauseMaxMs: maxPauseMs } = LIMITS.eventStore;

/** Dependencies of the rebuild of an environment's read models. */
export interface RebuildParts {
  readonly environment: Environment;
  /** Read models to replace. */
  readonly models: readonly string[];
  readonly store: EventStore;
  readonly texts: PaymentTexts;
  /** Sees the rebuilt tables alone. */
  readonly rebuilt: Pool;
  readonly live: Pool;
  /** Schema of the live tables; a trusted name. */
  readonly schema: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with each line of progress. */
  readonly say: (line: string) => void;
}

export interface RebuiltProjectionOptions extends RebuildParts {
  readonly projection: Projection;
  /** End of the log if it has lost events that the live read models have; otherwise null. */
  readonly logEnd: number | null;
}

/** A projection that runs on rebuilt tables, up to positions at which it can be compared with the live tables. */
export class RebuiltProjection {
  readonly #log: ReadableLog;
  readonly #projector: BatchProjector;
  readonly #writer: ProjectionWriter;
  readonly #stopping = new AbortController();
  /** One replay follows the other: one that is late for a cutover goes on meanwhile. */
  #replaying: Promise<void> = Promise.resolve();
  #reached = START;
  #movedAtMs = 0;

  constructor(private readonly options: RebuiltProjectionOptions) {
    const { environment, store, texts, rebuilt: pool, projection } = options;
    this.#log = new OpenedLog(wholeLogOf(environment, store), texts);
    this.#projector = projection.createProjector({ ...options, store: this.#log, pool, onReplaced: () => undefined });
    this.#writer = new ProjectionWriter({ projection, pool, fence: 1, progressChannel: null });
  }

  /** Name of its checkpoint. */
  get name(): string {
    return this.options.projection.name;
  }

  /** Its read models that are to be replaced. */
  get replaced(): readonly ReadModel[] {
    const { models, projection } = this.options;
    return projection.readModels.filter(({ name }) => models.includes(name));
  }

  /** Whether all its read models are to be replaced. */
  get isWhole(): boolean {
    return this.replaced.length === this.options.projection.readModels.length;
  }

  get reached(): number {
    return this.#reached;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#replaying.catch(() => undefined);
    this.#writer.connection.close();
  }

  /**
   * Projects until the live tables are ahead by at most `nearMs`. Returns false if it gets no nearer: what was written during
   * a turn is not less than what the turn projected. Error: the projection stands still.
   */
  async catchUp(): Promise<boolean> {
    for (let turn = 0, previous = Infinity; turn < catchUps; turn += 1) {
      const goal = await this.#goal(this.options.live);
      const distance = goal - this.#reached;
      if (distance >= previous) return false;
      previous = distance;
      const sinceMs = performance.now();
      await this.#projectUpTo(goal);
      if (performance.now() - sinceMs <= nearMs) return true;
    }
    return false;
  }

  /**
   * Brings the rebuilt tables exactly to the position of the live ones, and returns it. Errors: `RebuildBehind` if it takes
   * longer than `waitMs`; the live ones went back.
   * @param database in a transaction in which that position does not change
   */
  async meet(database: Pick<ClientBase, 'query'>, waitMs: number): Promise<number> {
    const position = await this.#goal(database);
    const late = () => new RebuildBehind(this.#reached, position);
    await withTimeout(this.#projectUpTo(position), waitMs, late);
    if (this.#reached > position) throw new Error('The live read models went back: start the rebuild again');
    return position;
  }

  /** Returns the position of the live tables, up to which the log can be read. */
  async #goal(database: Pick<ClientBase, 'query'>): Promise<number> {
    const { logEnd, projection, schema } = this.options;
    return logEnd ?? (await readCheckpoint(database, projection.name, schema));
  }

  #projectUpTo(position: number): Promise<void> {
    const { logger, projection } = this.options;
    const { name } = projection;
    this.#replaying = this.#replaying
      .catch(() => undefined)
      .then(async () => {
        this.#movedAtMs = performance.now();
        await retry(() => this.#replay(position), {
          minPauseMs,
          maxPauseMs,
          signal: this.#stopping.signal,
          isRetryable: () => performance.now() - this.#movedAtMs < silenceMs,
          onError: (err) => {
            this.#projector.reset?.();
            if (this.#stopping.signal.aborted) return;
            logger.error({ err, name }, 'read models not written; retrying with the same events');
          },
        }).catch((cause: unknown) => {
          const stood = `The rebuild has stood at position ${this.#reached} for ${silenceMs / 1_000} s`;
          throw new Error(`${stood}: see the lines above`, { cause });
        });
      });
    return this.#replaying;
  }

  async #replay(upTo: number): Promise<void> {
    const { say, projection } = this.options;
    const { name, streamPrefixes } = projection;
    const checkpoint = await this.#writer.connection.claim();
    if (checkpoint === null) throw new Error('Another rebuild writes these tables');
    this.#reached = checkpoint;
    const range = { name, streamPrefixes, after: this.#reached, upTo, signal: this.#stopping.signal };
    await replay({ store: this.#log, say }, range, async (events, reached) => {
      const changes = await this.#projector.project(events);
      await this.#writer.write(changes, this.#reached, reached, events.at(-1) ?? null);
      this.#projector.recordWritten?.();
      this.#reached = reached;
      this.#movedAtMs = performance.now();
    });
  }
}

/** A rebuild has not reached the live read models in time. It goes on meanwhile. */
export class RebuildBehind extends Error {
  constructor(
    private readonly reached: number,
    private readonly livePosition: number,
  ) {
    super(`the rebuild stands at ${reached} and the live read models at ${livePosition}`);
    this.name = 'RebuildBehind';
  }

  /** Log positions that are left. */
  get distance(): number {
    return this.livePosition - this.reached;
  }
}
