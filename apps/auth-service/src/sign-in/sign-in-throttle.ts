import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { sha256 } from '../secrets.js';

/** How many failed tries are free, and how long the longest wait after more of them is. */
interface Patience {
  readonly freeTries: number;
  readonly longestWaitMs: number;
}

/** Short waits for an account, so that guessing never locks its owner out. */
const ACCOUNT: Patience = { freeTries: 10, longestWaitMs: 30_000 };
/** Many people may share an address. */
const ADDRESS: Patience = { freeTries: 50, longestWaitMs: 60_000 };

const FORGOTTEN_AFTER_MS = 15 * 60_000;

interface Tries {
  readonly failed: number;
  readonly quietMs: number;
}

/** Who tries to sign in to what. `account` is the login as typed, normalised: it need not exist. */
export interface SignInTry {
  readonly account: string;
  readonly address: string;
}

/** Always locked in this order, so that nobody waits in a circle. */
const MEET = `
  insert into sign_in_tries (key_sha256, failed, last_at)
  select key, 0, clock_timestamp() from unnest($1::bytea[]) as key order by key on conflict do nothing`;
const READ = `
  select key_sha256, failed, (extract(epoch from clock_timestamp() - last_at) * 1000)::float8 as "quietMs"
  from sign_in_tries where key_sha256 = any($1::bytea[]) order by key_sha256 for update`;
const COUNT = `
  update sign_in_tries set
    failed = case when last_at <= clock_timestamp() - $2 * interval '1 millisecond' then 1 else failed + 1 end,
    last_at = clock_timestamp()
  where key_sha256 = any($1::bytea[])`;

/**
 * Slows guessing down: after some failed tries each next one must wait, twice as long every time. Counts per
 * account and per address, for all instances together.
 */
@Injectable()
export class SignInThrottle {
  constructor(private readonly dataSource: DataSource) {}

  /** Milliseconds until this may be tried; 0 when now, and then it counts as failed until `succeeded` is called. */
  begin(attempt: SignInTry): Promise<number> {
    const { account, address } = keysOf(attempt);
    const keys = [account, address];
    return this.dataSource.transaction(async (manager) => {
      await manager.query(MEET, [keys]);
      const rows = await manager.query<({ key_sha256: Buffer } & Tries)[]>(READ, [keys]);
      const waits = rows.map((row) => waitMsAfter(row, row.key_sha256.equals(account) ? ACCOUNT : ADDRESS));
      const waitMs = Math.max(0, ...waits);
      if (waitMs === 0) await manager.query(COUNT, [keys, FORGOTTEN_AFTER_MS]);
      return waitMs;
    });
  }

  /** The password was right: the account starts anew, the address gets its try back. */
  async succeeded(attempt: SignInTry): Promise<void> {
    const { account, address } = keysOf(attempt);
    await this.dataSource.query('delete from sign_in_tries where key_sha256 = $1', [account]);
    await this.dataSource.query('update sign_in_tries set failed = greatest(failed - 1, 0) where key_sha256 = $1', [
      address,
    ]);
  }
}

/** Milliseconds to wait after so many failed tries, the last of them `quietMs` ago. */
export function waitMsAfter({ failed, quietMs }: Tries, { freeTries, longestWaitMs }: Patience): number {
  if (quietMs >= FORGOTTEN_AFTER_MS || failed < freeTries) return 0;
  const pauseMs = Math.min(1_000 * 2 ** (failed - freeTries), longestWaitMs);
  return Math.max(pauseMs - quietMs, 0);
}

function keysOf({ account, address }: SignInTry): Record<'account' | 'address', Buffer> {
  return { account: sha256(`account ${account}`), address: sha256(`address ${address}`) };
}
