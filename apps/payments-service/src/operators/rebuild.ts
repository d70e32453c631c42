import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import type { Environment } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import { createPool } from '@settle/postgres';
import type { Pool, PoolClient } from 'pg';
import type { Clock } from '../shared/clock.js';
import { ENVIRONMENT_STORAGE, logOf } from '../storage/environments.js';
import { PROJECTION, readCheckpoint } from '../projection/checkpoints.js';
import { PositionWaiters } from '../projection/position-waiters.js';
import { ProjectionRun } from '../projection/projection-run.js';
import { READ_MODEL_NAMES, tablesOf, type ReadModelName } from '../projection/read-models.js';
import { checkpointEventRoutines } from '../storage/migrations/keep-checkpoint-events.migration.js';
import { checkpointRoutines } from '../storage/migrations/separate-checkpoint-positions.migration.js';
import { beginSnapshot } from './snapshots.js';
import { acquireMaintenanceLock } from './maintenance-lock.js';
import { BoundedLogReader } from './bounded-log-reader.js';
import { rebuildSchemaOf } from './orphaned-schemas.js';
import { ShapeChanged, isAmong, oidOf, cutOver } from './cutover.js';
import { compareTables, type TableComparison } from './table-comparison.js';
import { lostLogEnd, setBackToLog } from './set-back.js';
import { createCopies } from './table-copies.js';

const { silenceMs, progressEveryMs, nearMs, takeOverMs, switchTries, switchPauseMs } = LIMITS.operators;
const { poolConnections, statementMs, comparedPartMs } = LIMITS.operators;

export interface RebuildOrder {
  readonly models: readonly ReadModelName[];
  /** Environment of the read models. */
  readonly environment: Environment;
  /** Cut over even if the new tables differ from the live ones. */
  readonly acceptsDifferences: boolean;
}

export interface RebuildDependencies {
  readonly store: EventStore;
  /** URL of the role that owns the tables. Contains a password. */
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called with each line of progress. */
  readonly say: (line: string) => void;
}

export interface RebuildReport {
  readonly comparisons: readonly TableComparison[];
  /** Log position of both at the comparison of the last part. */
  readonly comparedAt: number;
  /** Log position of the cutover; null if the tables differ and the live ones stay. */
  readonly switchedAt: number | null;
}

/**
 * Rebuilds read models beside the live ones, with the projection's code in a separate schema, compares both at one log
 * position and replaces the live ones, while payments continue. All read models are rebuilt, because one projector writes
 * all and reads some of them; those in the order are compared and replaced.
 * If the process is killed the live ones stay as they were; the next rebuild or migration removes the orphaned schema.
 */
export async function rebuildReadModels(parts: RebuildDependencies, order: RebuildOrder): Promise<RebuildReport> {
  const pools = { max: poolConnections, name: 'payments-rebuild', statementTimeoutMs: statementMs };
  const { schema } = ENVIRONMENT_STORAGE[order.environment];
  const live = createPool(parts.databaseUrl, pools);
  // It cannot see live tables: a statement for a missing table fails instead of changing a live one.
  const rebuilt = createPool(parts.databaseUrl, { ...pools, schemas: [rebuildSchemaOf(schema)] });
  let client: PoolClient | null = null;
  try {
    client = await acquireMaintenanceLock(live, 'exclusive');
    await createRebuildSchema(client, schema);
    return await new Rebuild({ ...parts, ...order, schema, live, rebuilt }).run(client);
  } finally {
    await client?.query(`drop schema if exists ${rebuildSchemaOf(schema)} cascade`).catch(() => undefined);
    // The connection closes later: a rebuild that starts at once must find the lock free.
    await client?.query('select pg_advisory_unlock_all()').catch(() => undefined);
    client?.release(true);
    await Promise.all([live.end(), rebuilt.end()]);
  }
}

async function createRebuildSchema(client: PoolClient, schema: string): Promise<void> {
  const into = rebuildSchemaOf(schema);
  await client.query(`drop schema if exists ${into} cascade`);
  await client.query(`create schema ${into}`);
  const names = [...tablesOf(READ_MODEL_NAMES).map(({ name }) => name), 'checkpoints', 'checkpoint_positions'];
  await createCopies(client, { schema, names }, into);
  for (const statement of [...checkpointRoutines(into), ...checkpointEventRoutines(into)])
    await client.query(statement);
}

interface Parts extends RebuildDependencies, RebuildOrder {
  /** Schema of the live tables; a trusted name. */
  readonly schema: string;
  readonly live: Pool;
  readonly rebuilt: Pool;
}

class Rebuild {
  readonly #log: BoundedLogReader;
  readonly #waiters = new PositionWaiters();
  #reached = 0;
  /** End of the log if it has lost events that the live read models have; otherwise null. */
  #logEnd: number | null = null;

  constructor(private readonly parts: Parts) {
    this.#log = new BoundedLogReader(parts.store);
  }

  /** @param client holder of the maintenance lock, in no transaction; without it there is no cutover */
  async run(client: PoolClient): Promise<RebuildReport> {
    const { environment, clock, logger, rebuilt: pool } = this.parts;
    const onPosition = (position: number) => {
      this.#reached = position;
      this.#waiters.notify(position);
    };
    const run = new ProjectionRun({
      store: logOf(environment, this.#log),
      pool,
      clock,
      logger,
      progressChannel: null,
      fence: 1,
      onPosition,
      onReplaced: () => undefined,
    });
    try {
      this.#logEnd = await lostLogEnd(client, this.parts);
      await this.#catchUp();
      const { comparedAt, comparisons } = await this.#compare();
      const areEqual = comparisons.every(({ first }) => first === null);
      if (!areEqual && !this.parts.acceptsDifferences) return { comparedAt, comparisons, switchedAt: null };
      await this.#analyse(client);
      return { comparedAt, comparisons, switchedAt: await this.#switch(client) };
    } finally {
      const stopped = run.stop();
      this.#log.close();
      await stopped;
    }
  }

  /** Projects until the live read models are ahead by at most `nearMs`. */
  async #catchUp(): Promise<void> {
    const { say } = this.parts;
    for (;;) {
      const startedAtMs = performance.now();
      const goal = await this.#goal(this.parts.live);
      this.#log.raiseLimit(goal);
      let [movedAtMs, before] = [performance.now(), this.#reached];
      while (this.#reached < goal && !(await this.#waiters.wait(goal, progressEveryMs))) {
        if (this.#reached > before) [movedAtMs, before] = [performance.now(), this.#reached];
        if (performance.now() - movedAtMs > silenceMs) {
          throw new Error(
            `The rebuild has stood at position ${before} for ${silenceMs / 1_000} s: see the lines above`,
          );
        }
        say(`position ${this.#reached} of ${goal}, ${Math.floor((100 * this.#reached) / goal)} %`);
      }
      if (performance.now() - startedAtMs <= nearMs) return;
    }
  }

  /**
   * Compares part by part: the live tables in a snapshot, then the new tables, which wait at the snapshot's position. No
   * snapshot is older than the comparison of one part.
   */
  async #compare(): Promise<{ comparedAt: number; comparisons: TableComparison[] }> {
    const { live, rebuilt, schema, models } = this.parts;
    const [left, right] = await Promise.all([live.connect(), rebuilt.connect()]);
    let comparedAt = 0;
    const atOneMoment = async <Result>(part: () => Promise<Result>) => {
      await beginSnapshot(left);
      comparedAt = await this.#goal(left);
      this.#log.raiseLimit(comparedAt);
      await this.#reach(comparedAt, silenceMs);
      await beginSnapshot(right);
      const result = await part();
      await Promise.all([left.query('commit'), right.query('commit')]);
      return result;
    };
    try {
      const comparisons: TableComparison[] = [];
      for (const table of tablesOf(models)) {
        this.parts.say(`comparing ${table.name} from position ${this.#reached} on`);
        const compared = {
          live: { client: left, schema },
          rebuilt: { client: right, schema: rebuildSchemaOf(schema) },
          atOneMoment,
          partMs: comparedPartMs,
        };
        comparisons.push(await compareTables(table, compared));
      }
      return { comparedAt, comparisons };
    } finally {
      left.release(true);
      right.release(true);
    }
  }

  /** Statements are planned again after the cutover, with the statistics of the new tables. */
  async #analyse(client: PoolClient): Promise<void> {
    for (const { name } of tablesOf(this.parts.models)) {
      await client.query(`analyze ${rebuildSchemaOf(this.parts.schema)}.${name}`);
    }
  }

  async #switch(client: PoolClient): Promise<number> {
    const { environment, live, schema, models, say } = this.parts;
    const rebuilt = rebuildSchemaOf(schema);
    const tables = tablesOf(models).map(({ name }) => name);
    const oid = await oidOf(client, `${rebuilt}.${tables[0]}`);
    let triedAt = 0;
    const goal = () => this.#goal(client);
    const finish = async () => {
      if (this.#logEnd !== null) await setBackToLog(client, { environment, rebuilt, say });
    };
    const reach = (position: number) => {
      triedAt = position;
      this.#log.raiseLimit(position);
      return this.#reach(position, takeOverMs);
    };
    for (let attempt = 1; ; attempt += 1) {
      await this.#catchUp();
      try {
        return await cutOver(client, { live: schema, rebuilt, tables, goal, reach, finish });
      } catch (error) {
        const isConnected = await client.query('rollback').then(
          () => true,
          () => false,
        );
        // The response to the commit may have been lost with the connection.
        if (!isConnected && (await isAmong(live, schema, oid))) return triedAt;
        if (!isConnected || error instanceof ShapeChanged || attempt === switchTries) throw error;
        say(`not switched yet: ${error instanceof Error ? error.message : String(error)}`);
      }
      await pause(switchPauseMs);
    }
  }

  async #reach(position: number, waitMs: number): Promise<void> {
    if (this.#reached < position) await this.#waiters.wait(position, waitMs);
    if (this.#reached === position) return;
    if (this.#reached > position) throw new Error('The live read models went back: start the rebuild again');
    throw new Error(`the rebuild stands at ${this.#reached} and the live read models at ${position}`);
  }

  /** Returns the position of the live read models, up to which the log can be read. */
  async #goal(database: Pick<PoolClient, 'query'>): Promise<number> {
    return this.#logEnd ?? (await readCheckpoint(database, PROJECTION, this.parts.schema));
  }
}
