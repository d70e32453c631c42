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
import { beginReading } from './one-moment.js';
import { beAtWork } from './at-work.js';
import { GatedLog } from './gated-log.js';
import { rebuiltSchema } from './leftovers.js';
import { ShapeChanged, isAmong, oidOf, switchOver } from './switch-over.js';
import { compareTables, type TableComparison } from './table-comparison.js';
import { lostLogEnd, setBackToLog } from './set-back.js';
import { createCopies } from './table-copies.js';

const { silenceMs, progressEveryMs, nearMs, takeOverMs, switchTries, switchPauseMs } = LIMITS.operators;
const { poolConnections, statementMs, comparedPartMs } = LIMITS.operators;

export interface RebuildOrder {
  readonly models: readonly ReadModelName[];
  /** Whose read models: the real ones, or the sandbox's. */
  readonly environment: Environment;
  /** Switch although the new tables are not as the live ones. */
  readonly acceptsDifferences: boolean;
}

export interface RebuildParts {
  readonly store: EventStore;
  /** As the role that owns the tables. Holds a password. */
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Is told of progress, a line each time. */
  readonly say: (line: string) => void;
}

export interface RebuildReport {
  readonly comparisons: readonly TableComparison[];
  /** Where both were when the last part of them was compared. */
  readonly comparedAt: number;
  /** Where both were at the switch; null: they differ, and the live ones stay. */
  readonly switchedAt: number | null;
}

/**
 * Builds read models anew beside the live ones, with the projection's own code in a schema of its own, compares them
 * at one position and lets them take the live ones' place. Payments go on meanwhile. Since one projector writes all
 * read models and reads some of them, all are built; those that the order names are compared and switched.
 * Killed at any point it leaves the live ones as they were, and what it leaves behind the next rebuild removes, or the next
 * migration of the database.
 */
export async function rebuildReadModels(parts: RebuildParts, order: RebuildOrder): Promise<RebuildReport> {
  const pools = { max: poolConnections, name: 'payments-rebuild', statementTimeoutMs: statementMs };
  const { schema } = ENVIRONMENT_STORAGE[order.environment];
  const live = createPool(parts.databaseUrl, pools);
  // It finds no live table, whatever becomes of its own: what is meant for those fails instead.
  const rebuilt = createPool(parts.databaseUrl, { ...pools, schemas: [rebuiltSchema(schema)] });
  let client: PoolClient | null = null;
  try {
    client = await beAtWork(live, 'alone');
    await beginAnew(client, schema);
    return await new Rebuild({ ...parts, ...order, schema, live, rebuilt }).run(client);
  } finally {
    await client?.query(`drop schema if exists ${rebuiltSchema(schema)} cascade`).catch(() => undefined);
    // The connection ends only after this has: whoever begins another at once must find the place free.
    await client?.query('select pg_advisory_unlock_all()').catch(() => undefined);
    client?.release(true);
    await Promise.all([live.end(), rebuilt.end()]);
  }
}

async function beginAnew(client: PoolClient, schema: string): Promise<void> {
  const into = rebuiltSchema(schema);
  await client.query(`drop schema if exists ${into} cascade`);
  await client.query(`create schema ${into}`);
  const names = [...tablesOf(READ_MODEL_NAMES).map(({ name }) => name), 'checkpoints', 'checkpoint_positions'];
  await createCopies(client, { schema, names }, into);
  for (const statement of [...checkpointRoutines(into), ...checkpointEventRoutines(into)])
    await client.query(statement);
}

interface Parts extends RebuildParts, RebuildOrder {
  /** Of the live tables, a word of ours. */
  readonly schema: string;
  readonly live: Pool;
  readonly rebuilt: Pool;
}

class Rebuild {
  readonly #log: GatedLog;
  readonly #waiters = new PositionWaiters();
  #reached = 0;
  /** Where the log ends, when it has lost events that the live ones hold; null: it holds all of them. */
  #logEnd: number | null = null;

  constructor(private readonly parts: Parts) {
    this.#log = new GatedLog(parts.store);
  }

  /** @param client in no transaction; it keeps other rebuilds off, so that without it nothing is switched */
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

  /** Until the live ones are no longer ahead by more than what takes `nearMs`. */
  async #catchUp(): Promise<void> {
    const { say } = this.parts;
    for (;;) {
      const beganAtMs = performance.now();
      const goal = await this.#goal(this.parts.live);
      this.#log.openUpTo(goal);
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
      if (performance.now() - beganAtMs <= nearMs) return;
    }
  }

  /**
   * Part by part: the live ones as of one moment; then the new ones, which wait for it at that moment's position. Meanwhile
   * no snapshot is held for longer than a part takes.
   */
  async #compare(): Promise<{ comparedAt: number; comparisons: TableComparison[] }> {
    const { live, rebuilt, schema, models } = this.parts;
    const [left, right] = await Promise.all([live.connect(), rebuilt.connect()]);
    let comparedAt = 0;
    const atOneMoment = async <Result>(part: () => Promise<Result>) => {
      await beginReading(left);
      comparedAt = await this.#goal(left);
      this.#log.openUpTo(comparedAt);
      await this.#reach(comparedAt, silenceMs);
      await beginReading(right);
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
          rebuilt: { client: right, schema: rebuiltSchema(schema) },
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

  /** Statements are planned anew at the switch, and on what is known of the tables by then. */
  async #analyse(client: PoolClient): Promise<void> {
    for (const { name } of tablesOf(this.parts.models)) {
      await client.query(`analyze ${rebuiltSchema(this.parts.schema)}.${name}`);
    }
  }

  async #switch(client: PoolClient): Promise<number> {
    const { environment, live, schema, models, say } = this.parts;
    const rebuilt = rebuiltSchema(schema);
    const tables = tablesOf(models).map(({ name }) => name);
    const oid = await oidOf(client, `${rebuilt}.${tables[0]}`);
    let triedAt = 0;
    const goal = () => this.#goal(client);
    const finish = async () => {
      if (this.#logEnd !== null) await setBackToLog(client, { environment, rebuilt, say });
    };
    const reach = (position: number) => {
      triedAt = position;
      this.#log.openUpTo(position);
      return this.#reach(position, takeOverMs);
    };
    for (let attempt = 1; ; attempt += 1) {
      await this.#catchUp();
      try {
        return await switchOver(client, { live: schema, rebuilt, tables, goal, reach, finish });
      } catch (error) {
        const isConnected = await client.query('rollback').then(
          () => true,
          () => false,
        );
        // Its answer may have been lost with the connection.
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

  /** Returns where the live ones are now, which is as far as the log can be read. */
  async #goal(database: Pick<PoolClient, 'query'>): Promise<number> {
    return this.#logEnd ?? (await readCheckpoint(database, PROJECTION, this.parts.schema));
  }
}
