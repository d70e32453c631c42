import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { Pool, PoolClient } from 'pg';

/** Advisory locks are one database's own. */
const ANNOUNCER_LOCK = 7_155_003;

/** From now on, over every restart, until it is done: everybody must be announced anew. */
export async function noteLostRecords(pool: Pool): Promise<void> {
  await pool.query('insert into due_announcement default values on conflict do nothing');
}

export interface DueAnnouncementOptions {
  readonly pool: Pool;
  readonly announce: () => Promise<void>;
  readonly logger: Logger;
}

/** Announces everybody if that is due; of several instances one does, and another when that one has ended halfway. */
export class DueAnnouncement {
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(private readonly options: DueAnnouncementOptions) {
    this.#running = this.#untilDone();
  }

  /** What is not done yet stays due. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #untilDone(): Promise<void> {
    const { signal } = this.#stopping;
    const { pool, logger } = this.options;
    while (!signal.aborted) {
      try {
        if (!(await isDue(pool))) return;
        await this.#announceAlone();
      } catch (err) {
        if (!signal.aborted) logger.warn({ err }, 'not everybody is announced anew yet, trying again');
      }
      await pause(LIMITS.outbox.pollMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #announceAlone(): Promise<void> {
    const session = await this.options.pool.connect();
    try {
      const { rows } = await session.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [
        ANNOUNCER_LOCK,
      ]);
      // Whoever held the lock before may have done it.
      if (!rows[0]?.held || !(await isDue(session))) return;
      await this.options.announce();
      await session.query('delete from due_announcement');
      this.options.logger.info('everybody was announced anew');
    } finally {
      // Ends the session, and with it the lock.
      session.release(true);
    }
  }
}

async function isDue(database: Pool | PoolClient): Promise<boolean> {
  const due = await database.query('select from due_announcement');
  return due.rowCount !== 0;
}
