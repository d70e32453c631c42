import { sleep } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { createPool } from '@settle/postgres';
import type { PoolClient } from 'pg';
import { createMissingCheckpoints, PROJECTION, readCheckpoint } from '../projection/checkpoints.js';
import { READ_MODEL_NAMES, projectionsOf, tablesOf } from '../read-models/registry.js';
import { ENVIRONMENT_STORAGE } from '../storage/environments.js';
import { checkpointEventRoutines } from '../storage/migrations/keep-checkpoint-events.migration.js';
import { checkpointRoutines } from '../storage/migrations/separate-checkpoint-positions.migration.js';
import { beginSnapshot } from './snapshots.js';
import { acquireMaintenanceLock } from './maintenance-lock.js';
import { RebuiltProjection, type RebuildParts } from './rebuilt-projection.js';
import { rebuildSchemaOf } from './orphaned-schemas.js';
import { Approach } from './approach.js';
import { ShapeChanged, isAmong, oidOf, cutOver } from './cutover.js';
import { compareTables, type TableComparison } from './table-comparison.js';
import { eraseTextsAgain } from './closing/erase-texts.js';
import { lostLogEnd, setBackToLog } from './set-back.js';
import { createCopies } from './table-copies.js';

const { poolConnections, statementMs, comparedPartMs, silenceMs } = LIMITS.operators;
const { takeOverMs, switchTries, switchPauseMs } = LIMITS.operators;

export interface RebuildOrder extends Pick<RebuildParts, 'models' | 'environment'> {
  /** Cut over even if the new tables differ from the live ones. */
  readonly acceptsDifferences: boolean;
}

export interface RebuildDependencies extends Pick<RebuildParts, 'store' | 'texts' | 'clock' | 'logger' | 'say'> {
  /** URL of the role that owns the tables. Contains a password. */
  readonly databaseUrl: string;
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
 * position and replaces the live ones, while payments continue. Read models of one projection are rebuilt together; those in
 * the order are compared and replaced.
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
    await createMissingCheckpoints(client, schema);
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

class Rebuild {
  #projections: readonly RebuiltProjection[] = [];
  /** End of the log if it has lost events that the live read models have; otherwise null. */
  #logEnd: number | null = null;

  constructor(private readonly parts: RebuildParts & RebuildOrder) {}

  /** @param client holder of the maintenance lock, in no transaction; without it there is no cutover */
  async run(client: PoolClient): Promise<RebuildReport> {
    const { models, acceptsDifferences } = this.parts;
    const logEnd = (this.#logEnd = await lostLogEnd(client, this.parts));
    this.#projections = projectionsOf(models).map(
      (projection) => new RebuiltProjection({ ...this.parts, projection, logEnd }),
    );
    try {
      const approach = new Approach({ ...this.parts, client });
      await approach.run(this.#projections);
      const { comparedAt, comparisons } = await this.#compare(approach);
      const areEqual = comparisons.every(({ first }) => first === null);
      if (!areEqual && !acceptsDifferences) return { comparedAt, comparisons, switchedAt: null };
      return { comparedAt, comparisons, switchedAt: await this.#switch(client, approach) };
    } finally {
      await Promise.all(this.#projections.map((projection) => projection.stop()));
    }
  }

  /** Compares part by part. No snapshot is older than the comparison of one part. */
  async #compare(approach: Approach): Promise<{ comparedAt: number; comparisons: TableComparison[] }> {
    const { live, rebuilt, schema, say } = this.parts;
    const [left, right] = await Promise.all([live.connect(), rebuilt.connect()]);
    let comparedAt = 0;
    try {
      const comparisons: TableComparison[] = [];
      for (const projection of this.#projections) {
        // The live tables in a snapshot, then the rebuilt ones, which wait at the position of that snapshot.
        const atOneMoment = async <Result>(part: () => Promise<Result>) => {
          await approach.run([projection]);
          await beginSnapshot(left);
          comparedAt = await projection.meet(left, silenceMs);
          await beginSnapshot(right);
          const result = await part();
          await Promise.all([left.query('commit'), right.query('commit')]);
          return result;
        };
        for (const table of projection.replaced.flatMap(({ tables }) => tables)) {
          say(`comparing ${table.name} from position ${projection.reached} on`);
          const sides = {
            live: { client: left, schema },
            rebuilt: { client: right, schema: rebuildSchemaOf(schema) },
          };
          comparisons.push(await compareTables(table, { ...sides, atOneMoment, partMs: comparedPartMs }));
        }
      }
      return { comparedAt, comparisons };
    } finally {
      left.release(true);
      right.release(true);
    }
  }

  async #switch(client: PoolClient, approach: Approach): Promise<number> {
    const { live, schema, models, say } = this.parts;
    const { progressChannel } = ENVIRONMENT_STORAGE[this.parts.environment];
    const rebuilt = rebuildSchemaOf(schema);
    const tables = tablesOf(models).map(({ name }) => name);
    const checkpoints = this.#projections.map(({ name }) => name);
    // Statements are planned again after the cutover, with the statistics of the new tables.
    for (const name of tables) await client.query(`analyze ${rebuilt}.${name}`);
    const oid = await oidOf(client, `${rebuilt}.${tables[0]}`);
    let triedAt = 0;
    const meet = async () => {
      for (const projection of this.#projections) triedAt = await projection.meet(client, takeOverMs);
      return triedAt;
    };
    const whole = this.#projections.filter(({ isWhole }) => isWhole).map(({ name }) => name);
    const finish = async () => {
      await client.query(
        `update ${schema}.checkpoints c set version = r.version from ${rebuilt}.checkpoints r
         where r.name = c.name and c.name = any($1)`,
        [whole],
      );
      if (this.#logEnd !== null) await setBackToLog(client, this.parts);
      // An account may have been closed after its rows were computed.
      if (tables.includes('payments')) await eraseTextsAgain(client, schema);
      // Instances may keep what they have read from the replaced tables. Of the positions only that of the ledger counts for them.
      const position = await readCheckpoint(client, PROJECTION, schema);
      await client.query('select pg_notify($1, $2)', [progressChannel, String(position)]);
    };
    for (let attempt = 1; ; attempt += 1) {
      await approach.run(this.#projections);
      try {
        return await cutOver(client, { live: schema, rebuilt, tables, checkpoints, meet, finish });
      } catch (error) {
        const isConnected = await client.query('rollback').then(
          () => true,
          () => false,
        );
        // The response to the commit may have been lost with the connection.
        if (!isConnected && (await isAmong(live, { live: schema, checkpoints, oid }))) return triedAt;
        if (!isConnected || error instanceof ShapeChanged || attempt === switchTries) throw error;
        say(`not switched yet: ${error instanceof Error ? error.message : String(error)}`);
      }
      await sleep(switchPauseMs);
    }
  }
}
