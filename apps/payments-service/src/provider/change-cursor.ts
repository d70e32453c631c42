import type { ClientBase, Pool } from 'pg';

const CLAIM = {
  name: 'claim-provider-changes',
  text: 'update provider_changes set fence = $1 where fence <= $1 returning cursor',
};
const CREATE = {
  name: 'create-provider-changes',
  text: 'insert into provider_changes (fence) values (0) on conflict do nothing',
};
const MOVE = {
  name: 'move-provider-changes',
  text: 'update provider_changes set cursor = $2 where fence = $1',
};
const MARK_READ = {
  name: 'mark-provider-changes-read',
  text: 'update provider_changes set read_epoch = (select epoch from public_event_epoch) where fence = $1',
};
const IS_READ = {
  name: 'provider-changes-read',
  text: `select coalesce(c.read_epoch >= e.epoch, false) as "isRead"
    from provider_changes c cross join public_event_epoch e`,
};

/** How far the provider's list of changes is read, stored in the database of the payments service. */
export class ChangeCursor {
  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  /**
   * Claims the cursor, so that no reader with a smaller fence can move it. Returns it, null before the first page;
   * undefined if a reader with a larger fence has claimed it. A lost cursor begins anew. Errors: the database's.
   */
  async claim(fence: number): Promise<string | null | undefined> {
    await this.pool.query(CREATE);
    const { rows } = await this.pool.query<{ cursor: string | null }>({ ...CLAIM, values: [fence] });
    return rows[0]?.cursor;
  }

  /** Moves the cursor. Returns false, with nothing changed, if another reader has claimed it. Errors: the database's. */
  async moveTo(cursor: string, fence: number): Promise<boolean> {
    const { rowCount } = await this.pool.query({ ...MOVE, values: [fence, cursor] });
    return rowCount === 1;
  }

  /** Records that the list was read to its end, for as long as the database is not restored. Errors: the database's. */
  async markReadToEnd(fence: number): Promise<void> {
    await this.pool.query({ ...MARK_READ, values: [fence] });
  }

  /** Returns whether an instance has read the list to its end since the last restore. Errors: the database's. */
  async isReadToEnd(): Promise<boolean> {
    const { rows } = await this.pool.query<{ isRead: boolean }>(IS_READ);
    return rows[0]?.isRead ?? false;
  }
}

/**
 * Has the list read again from its first change: the log has lost events, and the cursor may be after their changes.
 * @param schema trusted name
 */
export async function restartChanges(database: Pick<ClientBase, 'query'>, schema: string): Promise<void> {
  await database.query(`update ${schema}.provider_changes set cursor = null, read_epoch = null`);
}
