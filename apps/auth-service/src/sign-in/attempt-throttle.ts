import { Injectable } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import { DataSource } from 'typeorm';
import { sha256 } from '../secrets/secrets.js';

/** The number of attempts without a wait, and the exponential backoff of later ones. */
export interface Backoff {
  readonly freeAttempts: number;
  readonly firstWaitMs: number;
  readonly maxWaitMs: number;
}

/** A unique name under which attempts are counted, and its backoff. */
export interface ThrottleKey {
  readonly name: string;
  readonly backoff: Backoff;
}

interface AttemptCount {
  readonly attempts: number;
  readonly idleMs: number;
}

type AttemptRow = AttemptCount & { readonly key_sha256: Buffer };

const RESET_AFTER_MS = 15 * 60_000;

const ATTEMPTS = `
  key_sha256, failed as attempts, (extract(epoch from clock_timestamp() - last_at) * 1000)::float8 as "idleMs"`;
const READ = `select ${ATTEMPTS} from sign_in_tries where key_sha256 = any($1::bytea[])`;
/** Also locks existing rows, so that none is deleted before it is counted. One order prevents deadlocks. */
const LOCK = `
  insert into sign_in_tries (key_sha256, failed, last_at)
  select key, 0, clock_timestamp() from unnest($1::bytea[]) as key order by key
  on conflict (key_sha256) do update set last_at = sign_in_tries.last_at returning ${ATTEMPTS}`;
/** Shortens the time that other attempts wait for these locks. A crash loses only a few counted attempts. */
const WITHOUT_FLUSH = 'set local synchronous_commit to off';
const COUNT = `
  update sign_in_tries set
    failed = case when last_at <= clock_timestamp() - $2 * interval '1 millisecond' then 1 else failed + 1 end,
    last_at = clock_timestamp()
  where key_sha256 = any($1::bytea[])`;
/** Locks in the order in which `begin` does. */
const RELEASE = `
  with held as (
    select key_sha256 from sign_in_tries where key_sha256 = any($1::bytea[]) order by key_sha256 for update)
  update sign_in_tries set failed = greatest(failed - 1, 0) where key_sha256 in (select key_sha256 from held)`;

/**
 * Throttles repeated attempts: after the free ones each must wait twice as long as the one before. A quarter of an hour
 * without an attempt resets the count. The counts are shared by all instances.
 */
@Injectable()
export class AttemptThrottle {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the milliseconds until the attempt is allowed; 0: it is allowed now and counted. */
  async begin(throttleKeys: readonly ThrottleKey[]): Promise<number> {
    const keys = throttleKeys.map(({ name }) => sha256(name));
    // Most attempts of an attack end here, without a lock or a write.
    const waitMs = computeLongestWaitMs(await this.dataSource.query<AttemptRow[]>(READ, [keys]), throttleKeys);
    if (waitMs > 0) return waitMs;
    return this.dataSource.transaction(async (manager) => {
      await manager.query(WITHOUT_FLUSH);
      const lockedWaitMs = computeLongestWaitMs(await manager.query<AttemptRow[]>(LOCK, [keys]), throttleKeys);
      if (lockedWaitMs === 0) await manager.query(COUNT, [keys, RESET_AFTER_MS]);
      return lockedWaitMs;
    });
  }

  /** Returns the number of counted attempts; concurrent ones may be counted before the next call of `begin`. */
  async countAttempts({ name }: ThrottleKey): Promise<number> {
    const [row] = await this.dataSource.query<AttemptRow[]>(READ, [[sha256(name)]]);
    return row === undefined || row.idleMs >= RESET_AFTER_MS ? 0 : row.attempts;
  }

  async reset({ name }: ThrottleKey): Promise<void> {
    await this.dataSource.query('delete from sign_in_tries where key_sha256 = $1', [sha256(name)]);
  }

  /** Removes the last attempt from each count. */
  async release(keys: readonly ThrottleKey[]): Promise<void> {
    await this.dataSource.query(RELEASE, [keys.map(({ name }) => sha256(name))]);
  }
}

/** A key without a row has no attempts. */
function computeLongestWaitMs(rows: readonly AttemptRow[], throttleKeys: readonly ThrottleKey[]): number {
  const waits = throttleKeys.map(({ name, backoff }) => {
    const key = sha256(name);
    const row = rows.find(({ key_sha256: of }) => key.equals(of));
    return row === undefined ? 0 : computeWaitMs(row, backoff);
  });
  return Math.max(0, ...waits);
}

/** Returns the milliseconds to wait after `attempts` attempts, the last of them `idleMs` ago. */
export function computeWaitMs(
  { attempts, idleMs }: AttemptCount,
  { freeAttempts, firstWaitMs, maxWaitMs }: Backoff,
): number {
  if (idleMs >= RESET_AFTER_MS || attempts < freeAttempts) return 0;
  const pauseMs = Math.min(firstWaitMs * 2 ** (attempts - freeAttempts), maxWaitMs);
  return Math.max(pauseMs - idleMs, 0);
}

/** Returns the error for a caller who must wait. @param problem a sentence without its full stop */
export function createThrottledError(problem: string, waitMs: number): SettleError {
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  const message = `${problem}. Wait ${retryAfterSeconds} s, then try again.`;
  return new SettleError('rate_limited', message, { retryAfterSeconds });
}
