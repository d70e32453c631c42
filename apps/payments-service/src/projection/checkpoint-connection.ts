import type { Pool, PoolClient } from 'pg';
import type { Projection } from '../read-models/projection.js';

/**
 * Terminates the previous holder's session: its process may be frozen or disconnected in the middle of a transaction, and
 * PostgreSQL waits for the rest of a message as long as the connection exists. Process ids are reused, so the session's
 * start time must match.
 */
const END_PREVIOUS = {
  name: 'end-previous-projector',
  text: `
    select pg_terminate_backend(a.pid) from checkpoints c
    join pg_stat_activity a on a.pid = c.backend_pid and a.backend_start = c.backend_start
    where c.name = $1 and c.fence <= $2 and a.pid <> pg_backend_pid()`,
};
const CLAIM = {
  name: 'claim-checkpoint',
  text: `
    insert into checkpoints as checkpoint (name, position, fence, version, backend_pid, backend_start)
    select $1, 0, $2, $3, pid, backend_start from pg_stat_activity where pid = pg_backend_pid()
    on conflict (name) do update
      set fence = excluded.fence, backend_pid = excluded.backend_pid, backend_start = excluded.backend_start
      where checkpoint.fence <= excluded.fence
    returning position`,
};

export interface CheckpointConnectionOptions {
  readonly pool: Pool;
  /** Name of the checkpoint, and the version that a new one gets. */
  readonly projection: Pick<Projection, 'name' | 'version'>;
  /** Fencing token of the lease under which it writes. */
  readonly fence: number;
  /**
   * Called when the connection has ended by itself: the database may have crashed and lost its last transactions. Absent: the
   * next use notices it.
   */
  readonly onLost?: () => void;
}

/** The only connection over which a holder of the lease writes: its session is stored with the checkpoint. */
export class CheckpointConnection {
  /** Null before the first claim and after the connection was lost. */
  #client: PoolClient | null = null;
  #connecting: Promise<PoolClient> | null = null;
  #isClosed = false;

  constructor(private readonly options: CheckpointConnectionOptions) {}

  /**
   * Claims the checkpoint and returns its position, which includes everything that earlier holders have written; a holder
   * with a smaller fence can no longer move it. Null if a holder with a larger fence has claimed it. Terminates the session of
   * the previous holder.
   */
  async claim(): Promise<number | null> {
    const client = this.#client ?? (await this.#connect());
    return this.#releaseOnError(client, async () => {
      const { projection, fence } = this.options;
      await client.query({ ...END_PREVIOUS, values: [projection.name, fence] });
      const values = [projection.name, fence, projection.version];
      const { rows } = await client.query<{ position: string }>({ ...CLAIM, values });
      return rows[0] === undefined ? null : Number(rows[0].position);
    });
  }

  /**
   * Runs work of this holder. Error: the checkpoint is not at `position`, or was claimed, when a lost connection is
   * replaced.
   */
  async use<Result>(position: number, work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    if (this.#client === null && (await this.claim()) !== position) {
      throw new Error(`The checkpoint is not at ${position} any more`);
    }
    const client = this.#client;
    if (client === null) throw new Error('The connection was lost');
    return this.#releaseOnError(client, () => work(client));
  }

  /**
   * Closes the connection: in the pool it would serve another checkpoint, while a claim of this one still terminates its
   * session. A batch in progress opens no other, which would never be released.
   */
  close(): void {
    this.#isClosed = true;
    this.#release();
  }

  /** A batch and the check of a lost connection may need one at the same time. */
  #connect(): Promise<PoolClient> {
    this.#connecting ??= this.#open().finally(() => (this.#connecting = null));
    return this.#connecting;
  }

  async #open(): Promise<PoolClient> {
    const client = await this.options.pool.connect();
    if (this.#isClosed) {
      client.release();
      throw new Error('This holder has been closed');
    }
    this.#client = client;
    client.on('end', this.#lose);
    return client;
  }

  async #releaseOnError<Result>(client: PoolClient, work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (this.#client === client) this.#release();
      throw error;
    }
  }

  readonly #release = (): void => {
    const client = this.#client;
    if (client === null) return;
    this.#client = null;
    client.off('end', this.#lose);
    client.release(true);
  };

  readonly #lose = (): void => {
    this.#release();
    this.options.onLost?.();
  };
}
