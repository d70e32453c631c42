import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { sha256 } from '../secrets.js';

/** How many tries are free, and how long one waits after more of them: at first so long, each time twice, at most so long. */
export interface Patience {
  readonly freeTries: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

/** Something whose tries are counted: a name that nothing else has, and how much patience there is with it. */
export interface Counted {
  readonly name: string;
  readonly patience: Patience;
}

interface Made {
  readonly made: number;
  readonly quietMs: number;
}

type KeyedMade = Made & { readonly key_sha256: Buffer };

const FORGOTTEN_AFTER_MS = 15 * 60_000;

const MADE = `
  key_sha256, failed as made, (extract(epoch from clock_timestamp() - last_at) * 1000)::float8 as "quietMs"`;
const READ = `select ${MADE} from sign_in_tries where key_sha256 = any($1::bytea[])`;
/** Locks those that are there too: one that is deleted meanwhile would not be counted. In this order nobody waits in a circle. */
const MEET = `
  insert into sign_in_tries (key_sha256, failed, last_at)
  select key, 0, clock_timestamp() from unnest($1::bytea[]) as key order by key
  on conflict (key_sha256) do update set last_at = sign_in_tries.last_at returning ${MADE}`;
/** All who guess wait for these counts in turn: what a power cut takes of them gives nobody more than a few tries. */
const WITHOUT_FLUSH = 'set local synchronous_commit to off';
const COUNT = `
  update sign_in_tries set
    failed = case when last_at <= clock_timestamp() - $2 * interval '1 millisecond' then 1 else failed + 1 end,
    last_at = clock_timestamp()
  where key_sha256 = any($1::bytea[])`;
/** Locks in the order in which `begin` does. */
const GIVE_BACK = `
  with held as (
    select key_sha256 from sign_in_tries where key_sha256 = any($1::bytea[]) order by key_sha256 for update)
  update sign_in_tries set failed = greatest(failed - 1, 0) where key_sha256 in (select key_sha256 from held)`;

/**
 * Slows down what somebody may try only a few times: after the free tries each next one must wait, twice as long every
 * time; a quarter of an hour without one begins anew. Counts for all instances together.
 */
@Injectable()
export class Tries {
  constructor(private readonly dataSource: DataSource) {}

  /** Milliseconds until this may be tried; 0 when now, and then it counts. */
  async begin(counted: readonly Counted[]): Promise<number> {
    const keys = counted.map(({ name }) => sha256(name));
    // Most tries of an attack end here: they must neither wait in line for its counts nor write.
    const waitMs = longestWaitMs(await this.dataSource.query<KeyedMade[]>(READ, [keys]), counted);
    if (waitMs > 0) return waitMs;
    return this.dataSource.transaction(async (manager) => {
      await manager.query(WITHOUT_FLUSH);
      const lockedWaitMs = longestWaitMs(await manager.query<KeyedMade[]>(MEET, [keys]), counted);
      if (lockedWaitMs === 0) await manager.query(COUNT, [keys, FORGOTTEN_AFTER_MS]);
      return lockedWaitMs;
    });
  }

  /** Returns how many tries count by now; tries that have not begun yet may count before the next one does. */
  async made(name: string): Promise<number> {
    const [row] = await this.dataSource.query<KeyedMade[]>(READ, [[sha256(name)]]);
    return row === undefined || row.quietMs >= FORGOTTEN_AFTER_MS ? 0 : row.made;
  }

  /** Begins anew. */
  async forget(name: string): Promise<void> {
    await this.dataSource.query('delete from sign_in_tries where key_sha256 = $1', [sha256(name)]);
  }

  /** The last try of each does not count. */
  async giveBack(names: readonly string[]): Promise<void> {
    await this.dataSource.query(GIVE_BACK, [names.map((name) => sha256(name))]);
  }
}

/** Of what has a row; what has none was never tried. */
function longestWaitMs(rows: readonly KeyedMade[], counted: readonly Counted[]): number {
  const waits = counted.map(({ name, patience }) => {
    const key = sha256(name);
    const row = rows.find(({ key_sha256: of }) => key.equals(of));
    return row === undefined ? 0 : waitMsAfter(row, patience);
  });
  return Math.max(0, ...waits);
}

/** Milliseconds to wait after so many tries, the last of them `quietMs` ago. */
export function waitMsAfter({ made, quietMs }: Made, { freeTries, firstWaitMs, longestWaitMs }: Patience): number {
  if (quietMs >= FORGOTTEN_AFTER_MS || made < freeTries) return 0;
  const pauseMs = Math.min(firstWaitMs * 2 ** (made - freeTries), longestWaitMs);
  return Math.max(pauseMs - quietMs, 0);
}
