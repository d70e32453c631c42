import { PeriodicTask } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import { Lease } from '@settle/postgres';
import type { Pool } from 'pg';

/** Makes the publication of all users due; it stays due over restarts until it is done. */
export async function noteLostRecords(pool: Pool): Promise<void> {
  await pool.query('insert into due_announcement default values on conflict do nothing');
}

/** Locks the row of the public URL first, as `CLEAR_DUE` does, so that neither misses a change of the other. */
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

/**
 * Publishes the records of all users again when that is due. Only the instance that holds the lease `announcement` does
 * it; if that one ends or freezes, another starts from the beginning. Two at once do no harm: each creates newer versions.
 * @returns stops it; an unfinished publication stays due
 */
export function startDueAnnouncement(options: DueAnnouncementOptions): () => Promise<void> {
  const { pool, announce, logger, isOnlyInstance } = options;
  const [onHeld, onLost] = [() => undefined, () => undefined];
  const lease = new Lease({ pool, name: 'announcement', logger, isOnlyInstance, onHeld, onLost });
  const task = new PeriodicTask({
    run: async (signal) => {
      const { rows } = lease.isHeld ? await pool.query<Terms>(FIND_DUE) : { rows: [] };
      if (rows[0] === undefined) return;
      const { epoch, public_url: publicUrl } = rows[0];
      await announce(publicUrl, signal);
      const { rowCount } = await pool.query(CLEAR_DUE, [epoch, publicUrl]);
      if (rowCount === 1) logger.info('published the records of all users again');
    },
    everyMs: LIMITS.outbox.pollMs,
    onError: (err) => logger.warn({ err }, 'user records could not be published again; retrying'),
  });
  const isStarted = lease.start().then(() => task.start());
  return async () => {
    await task.stop();
    await isStarted;
    await lease.stop();
  };
}

interface Terms {
  readonly epoch: string;
  readonly public_url: string;
}

/** Reads the terms on which all users must be published again. */
const FIND_DUE = 'select epoch, public_url from due_announcement, record_epoch, announced_address';
/** Changes nothing if the terms have changed meanwhile, so that the publication is still due. */
const CLEAR_DUE = `
  with terms as (
    select from record_epoch, announced_address where epoch = $1 and public_url = $2
    for share of record_epoch, announced_address)
  delete from due_announcement where exists (select from terms)`;
