import { PeriodicTask, forEachConcurrent } from '@settle/concurrency';
import type { Logger } from '@settle/observability';
import { signMessage } from '@settle/provider-api';
import type { Pool } from 'pg';

export interface CallbackOptions {
  readonly pool: Pool;
  /** Time in ms since 1970. */
  readonly now: () => number;
  /** Where callbacks are sent. */
  readonly url: string;
  /** One, or two while they are exchanged. */
  readonly secrets: readonly string[];
  readonly logger: Logger;
}

interface DueCallback {
  readonly id: string;
  readonly body: string;
  readonly attempts: number;
}

const EVERY_MS = 100;
const RETRY_MAX_MS = 5_000;
const AT_ONCE = 8;
const TIMEOUT_MS = 5_000;
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [1_000, 3_600_000];
/** After this time the receiver finds the change in the list of changes only. */
const GIVE_UP_AFTER_MS = 3 * 86_400_000;

const TAKE = `
  update callbacks set attempts = attempts + 1, due_at = $2
  where id in (select id from callbacks where due_at <= $1 order by due_at limit ${AT_ONCE} for update skip locked)
  returning id, body, attempts`;
const GIVE_UP = 'delete from callbacks where created_at < $1';

/**
 * Returns the task that sends callbacks until the receiver has answered each with 2xx, at least once and in any order.
 * Start it, and stop it before the pool ends.
 */
export function callbackTask(options: CallbackOptions): PeriodicTask {
  const { pool, now, logger } = options;
  return new PeriodicTask({
    run: async () => {
      const at = now();
      // The next attempt is stored before this one: a process that ends between the two sends the callback again.
      const { rows } = await pool.query<DueCallback>(TAKE, [new Date(at), new Date(at + FIRST_PAUSE_MS + TIMEOUT_MS)]);
      await forEachConcurrent(rows, AT_ONCE, (callback) => send(callback, options));
      // One that is to be given up is due again, too, within the longest pause.
      if (rows.length > 0) await pool.query(GIVE_UP, [new Date(at - GIVE_UP_AFTER_MS)]);
      if (rows.length === AT_ONCE) return 'repeat';
    },
    everyMs: EVERY_MS,
    retryMaxMs: RETRY_MAX_MS,
    onError: (error) => logger.warn({ err: error }, 'callbacks could not be read; retrying'),
  });
}

async function send({ id, body, attempts }: DueCallback, { pool, now, url, secrets }: CallbackOptions): Promise<void> {
  const headers = { ...signMessage({ id, timestampSeconds: Math.floor(now() / 1_000), body }, secrets) };
  const isReceived = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).then(
    async (response) => {
      await response.body?.cancel();
      return response.ok;
    },
    () => false,
  );
  if (isReceived) await pool.query('delete from callbacks where id = $1', [id]);
  else await pool.query('update callbacks set due_at = $2 where id = $1', [id, new Date(now() + pauseMs(attempts))]);
}

/** Doubles with each attempt. */
function pauseMs(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
}
