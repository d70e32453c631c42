import { inTransaction } from '@settle/postgres';
import pg, { type Pool, type QueryConfig } from 'pg';

const CLAIM = {
  name: 'claim-published-position',
  text: `
    insert into checkpoints (name, position, fence) values ($1, 0, $2)
    on conflict (name) do update set fence = excluded.fence where checkpoints.fence <= excluded.fence
    returning position`,
};
/**
 * The commit need not wait for the disk: a position that a crash takes back only means that events are delivered twice. A move
 * back is followed by a commit that waits, before the first record (`startFilling`).
 */
const MOVE = {
  name: 'move-published-position',
  text: `
    select move_checkpoint($1, $2, $3, $4) from (select set_config('synchronous_commit', 'off', true)) as waits_not`,
};
/** A claim takes the larger of two positions: the one of the row, as of the last claim, must not be ahead. */
const SET_CLAIMED = {
  name: 'set-claimed-position',
  text: 'update checkpoints set position = $2 where name = $1',
};
/** SQLSTATE that `move_checkpoint` raises. */
const NOT_MOVED = 'P0001';

/** Log position up to which a topic or a group of consumers has its events, stored in the database of the payments service. */
export class FencedCheckpoint {
  /** Null if unknown: before the first claim, or after a move without a response. */
  #position: number | null = null;

  /**
   * @param name of the checkpoint
   * @param fence a holder with a larger one takes the checkpoint over
   */
  constructor(
    private readonly pool: Pool,
    readonly name: string,
    readonly fence: number,
  ) {}

  /** Claims the position, so that no holder with a smaller fence can move it. Null if one with a larger fence has claimed it. */
  async claim(): Promise<number | null> {
    const { rows } = await this.pool.query<{ position: string }>({ ...CLAIM, values: [this.name, this.fence] });
    this.#position = rows[0] === undefined ? null : Number(rows[0].position);
    return this.#position;
  }

  /** Moves the position, on or back. Returns false, with nothing changed, if another holder has claimed it. */
  async moveTo(position: number): Promise<boolean> {
    const from = this.#position ?? (await this.claim());
    if (from === null) return false;
    this.#position = null;
    try {
      const move = { ...MOVE, values: [this.name, from, position, this.fence] };
      await (position < from ? this.#moveBack(move, position) : this.pool.query(move));
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === NOT_MOVED) return false;
      throw error;
    }
    this.#position = position;
    return true;
  }

  async #moveBack(move: QueryConfig, position: number): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      await client.query(move);
      await client.query({ ...SET_CLAIMED, values: [this.name, position] });
    });
  }
}
