import { TOPICS } from '@settle/contracts';
import type { Pool } from 'pg';

const CLAIM = {
  name: 'claim-published-position',
  text: `
    insert into checkpoints (name, position, fence) values ($1, 0, $2)
    on conflict (name) do update set fence = excluded.fence where checkpoints.fence <= excluded.fence
    returning position`,
};
/** A position that a crash of the database takes back means events published twice, so that it waits for no disk. */
const MOVE = {
  name: 'move-published-position',
  text: `
    update checkpoints set position = $3 from (select set_config('synchronous_commit', 'off', true)) as waits_not
    where name = $1 and fence = $2`,
};

/** How far the payment events are published, in the database of the payments service. */
export class PublishedPosition {
  constructor(
    private readonly pool: Pool,
    private readonly fence: number,
  ) {}

  /** From now on nobody with a smaller fence can move it. Null: somebody with a larger fence has been here. */
  async claim(): Promise<number | null> {
    const { rows } = await this.pool.query<{ position: string }>({
      ...CLAIM,
      values: [TOPICS.paymentsEvents, this.fence],
    });
    return rows[0] === undefined ? null : Number(rows[0].position);
  }

  /** @returns false when it is another's by now, and was left alone */
  async moveTo(position: number): Promise<boolean> {
    const { rowCount } = await this.pool.query({ ...MOVE, values: [TOPICS.paymentsEvents, this.fence, position] });
    return rowCount === 1;
  }
}
