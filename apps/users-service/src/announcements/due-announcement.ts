import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import { Lease } from '@settle/postgres';
import type { Pool } from 'pg';

/** Makes the publication of all users due; it stays due over restarts until it is done. */
export async function noteLostRecords(pool: Pool): Promise<void> {
  await pool.query('insert into due_announcement default values on conflict do nothing');
}

/** Locks the row of the public URL first, as `forgetWhatIsDone` does, so that neither misses a change of the other. */
const NOTE_PUBLIC_URL = `
  with changed as (update announced_address set public_url = $1 where public_url <> $1 returning public_url)
  insert into due_announcement select true from changed on conflict (is_due) do update set is_due = true`;

/**
 * Stores the public URL, which is part of the picture links. If it has changed since the last start, the records of all
 * users must be published again.
 */
export async function notePublicUrl(pool: Pool, publicUrl: string): Promise<void> {
  await pool.query('insert into announced_address values ($1) on conflict do nothing', [publicUrl]);
  await pool.query(NOTE_PUBLIC_URL, [publicUrl]);
}

export interface DueAnnouncementOptions {
  readonly pool: Pool;
  /** Publishes all users, with picture links below the URL; stops early if the signal aborts. */
  readonly announce: (publicUrl: string, signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
  /** As for a lease: no other process can run. */
  readonly isOnlyInstance: boolean;
}

/** Values that all published records share. */
interface Terms {
  readonly epoch: string;
  readonly public_url: string;
}

/**
 * Publishes the records of all users again when that is due. Only the instance that holds the lease `announcement` does
 * it; if that one ends or freezes, another starts from the beginning. Two at once do no harm: each creates newer versions.
 */
export class DueAnnouncement {
  readonly #stopping = new AbortController();
  readonly #lease: Lease;
  readonly #running: Promise<void>;

  constructor(private readonly options: DueAnnouncementOptions) {
    const { pool, logger, isOnlyInstance } = options;
    const [onHeld, onLost] = [() => undefined, () => undefined];
    this.#lease = new Lease({ pool, name: 'announcement', logger, isOnlyInstance, onHeld, onLost });
    this.#running = this.#run();
  }

  /** An unfinished publication stays due. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
    await this.#lease.stop();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { logger } = this.options;
    await this.#lease.start();
    while (!signal.aborted) {
      try {
        if (this.#lease.isHeld) await this.#announceIfDue();
      } catch (err) {
        if (!signal.aborted) logger.warn({ err }, 'user records could not be published again; retrying');
      }
      await pause(LIMITS.outbox.pollMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #announceIfDue(): Promise<void> {
    const { pool, announce, logger } = this.options;
    const due = await findDue(pool);
    if (due === null) return;
    await announce(due.public_url, this.#stopping.signal);
    if (await forgetWhatIsDone(pool, due)) logger.info('published the records of all users again');
  }
}

/** Returns the terms on which all users must be published again, or null if it is not due. */
async function findDue(pool: Pool): Promise<Terms | null> {
  const due = await pool.query<Terms>(
    'select epoch, public_url from due_announcement, record_epoch, announced_address',
  );
  return due.rows[0] ?? null;
}

/** @returns false if the terms have changed meanwhile, so that the publication is still due */
async function forgetWhatIsDone(pool: Pool, { epoch, public_url: publicUrl }: Terms): Promise<boolean> {
  const { rowCount } = await pool.query(
    `with terms as (
       select from record_epoch, announced_address where epoch = $1 and public_url = $2
       for share of record_epoch, announced_address)
     delete from due_announcement where exists (select from terms)`,
    [epoch, publicUrl],
  );
  return rowCount === 1;
}
