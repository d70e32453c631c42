import { sleep } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { PoolClient } from 'pg';
import { PROJECTION } from '../projection/checkpoints.js';
import { holdCheckpoints } from './cutover.js';
import { RebuildBehind, type RebuiltProjection } from './rebuilt-projection.js';

const { holdMs, holdPauseMs, holdsInVain } = LIMITS.operators;
/** PostgreSQL's code for a lock that was not acquired in time. */
const LOCK_NOT_AVAILABLE = '55P03';

export interface ApproachOptions {
  /** In no transaction. */
  readonly client: PoolClient;
  /** Schema of the live tables; a trusted name. */
  readonly schema: string;
  readonly say: (line: string) => void;
}

/**
 * Brings rebuilt projections near the live tables. If payments are written faster than one of them projects, the live
 * projectors wait for it for `holdMs`, again and again: clients that wait for their responses then send fewer payments.
 */
export class Approach {
  /** Whether payments were written faster than they were projected; then the next approach begins with a wait. */
  #isOutpaced = false;

  constructor(private readonly options: ApproachOptions) {}

  /**
   * Ends once all are near: each turn, and each wait, has to bring them nearer. Errors: `holdsInVain` waits did not; those of
   * `RebuiltProjection.meet`.
   */
  async run(projections: readonly RebuiltProjection[]): Promise<void> {
    if (!this.#isOutpaced) {
      let areNear = true;
      for (const projection of projections) areNear = (await projection.catchUp()) && areNear;
      if (areNear) return;
      this.#isOutpaced = true;
      this.options.say('payments are written faster than they are rebuilt; the live read models wait in between');
    }
    const { client, schema: live } = this.options;
    // Responses wait for this one, whichever is rebuilt.
    const checkpoints = [PROJECTION, ...projections.map(({ name }) => name)];
    const hold = { live, checkpoints, holdMs };
    let [nearest, inVain] = [Infinity, 0];
    while (inVain < holdsInVain) {
      const distance = await distanceAfterHold(projections, client, hold);
      if (distance === 0) return;
      inVain = distance < nearest ? 0 : inVain + 1;
      nearest = Math.min(nearest, distance);
      await sleep(holdPauseMs);
    }
    throw new Error(
      `Payments are written faster than they are rebuilt, which is ${nearest} log positions behind: rebuild again when ` +
        'there are fewer',
    );
  }
}

/** Returns the log positions that are left after one wait of the live projectors. */
async function distanceAfterHold(
  projections: readonly RebuiltProjection[],
  client: PoolClient,
  hold: Parameters<typeof holdCheckpoints>[1],
): Promise<number> {
  try {
    await holdCheckpoints(client, hold);
    const distances = projections.map((projection) => projection.meet(client, holdMs).then(() => 0, distanceOf));
    return (await Promise.all(distances)).reduce((sum, distance) => sum + distance, 0);
  } catch (error) {
    // The live projector is in the middle of a batch.
    if ((error as { code?: unknown }).code === LOCK_NOT_AVAILABLE) return Infinity;
    throw error;
  } finally {
    await client.query('rollback');
  }
}

function distanceOf(error: unknown): number {
  if (error instanceof RebuildBehind) return error.distance;
  throw error;
}
