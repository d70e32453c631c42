import { LIMITS } from '@settle/config';
import type { Environment } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import type { ClientBase, Pool } from 'pg';
import { readCheckpoint } from '../projection/checkpoints.js';
import { PositionWaiters } from '../projection/position-waiters.js';
import { ProjectionRun } from '../projection/projection-run.js';
import type { Projection } from '../read-models/projection.js';
import type { Table } from '../read-models/table.js';
import type { Clock } from '../storage/clock.js';
import { logOf } from '../storage/environments.js';
import { BoundedLogReader } from './bounded-log-reader.js';
import { progressLine } from './replay.js';

const { silenceMs, progressEveryMs, nearMs } = LIMITS.operators;

export interface RebuiltProjectionOptions {
  readonly projection: Projection;
  readonly environment: Environment;
  readonly store: EventStore;
  /** Sees the rebuilt tables alone. */
  readonly rebuilt: Pool;
  readonly live: Pool;
  /** Schema of the live tables; a trusted name. */
  readonly schema: string;
  /** End of the log if it has lost events that the live read models have; otherwise null. */
  readonly logEnd: number | null;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with each line of progress. */
  readonly say: (line: string) => void;
}

/** A projection that runs on rebuilt tables, up to positions at which it can be compared with the live tables. */
export class RebuiltProjection {
  readonly #log: BoundedLogReader;
  readonly #waiters = new PositionWaiters();
  readonly #run: ProjectionRun;
  #reached = 0;

  constructor(private readonly options: RebuiltProjectionOptions) {
    const { environment, store, rebuilt: pool } = options;
    this.#log = new BoundedLogReader(store);
    this.#run = new ProjectionRun({
      ...options,
      store: logOf(environment, this.#log),
      pool,
      progressChannel: null,
      gatherMs: 0,
      fence: 1,
      onPosition: (position) => {
        this.#reached = position;
        this.#waiters.notify(position);
      },
      onReplaced: () => undefined,
    });
  }

  /** Name of its checkpoint. */
  get name(): string {
    return this.options.projection.name;
  }

  /** Returns its tables of these read models. */
  tablesOf(models: readonly string[]): readonly Table[] {
    const { readModels } = this.options.projection;
    return readModels.filter(({ name }) => models.includes(name)).flatMap(({ tables }) => tables);
  }

  /** Whether all its read models are among these. */
  isWhollyAmong(models: readonly string[]): boolean {
    return this.options.projection.readModels.every(({ name }) => models.includes(name));
  }

  get reached(): number {
    return this.#reached;
  }

  async stop(): Promise<void> {
    const stopped = this.#run.stop();
    this.#log.close();
    await stopped;
  }

  /** Projects until the live tables are ahead by at most `nearMs`. Error: the projection stands still. */
  async catchUp(): Promise<void> {
    const { live, projection, say } = this.options;
    for (;;) {
      const startedAtMs = performance.now();
      const goal = await this.#goal(live);
      this.#log.raiseLimit(goal);
      let [movedAtMs, before] = [performance.now(), this.#reached];
      while (this.#reached < goal && !(await this.#waiters.wait(goal, progressEveryMs))) {
        if (this.#reached > before) [movedAtMs, before] = [performance.now(), this.#reached];
        if (performance.now() - movedAtMs > silenceMs) {
          throw new Error(
            `The rebuild has stood at position ${before} for ${silenceMs / 1_000} s: see the lines above`,
          );
        }
        say(progressLine(projection.name, this.#reached, goal));
      }
      if (performance.now() - startedAtMs <= nearMs) return;
    }
  }

  /**
   * Brings the rebuilt tables exactly to the position of the live ones, and returns it. Error: not within `waitMs`, or the
   * live ones went back.
   * @param database in a transaction in which that position does not change
   */
  async meet(database: Pick<ClientBase, 'query'>, waitMs: number): Promise<number> {
    const position = await this.#goal(database);
    this.#log.raiseLimit(position);
    if (this.#reached < position) await this.#waiters.wait(position, waitMs);
    if (this.#reached > position) throw new Error('The live read models went back: start the rebuild again');
    if (this.#reached === position) return position;
    throw new Error(`the rebuild stands at ${this.#reached} and the live read models at ${position}`);
  }

  /** Returns the position of the live tables, up to which the log can be read. */
  async #goal(database: Pick<ClientBase, 'query'>): Promise<number> {
    const { logEnd, projection, schema } = this.options;
    return logEnd ?? (await readCheckpoint(database, projection.name, schema));
  }
}
