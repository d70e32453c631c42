import { randomUUID } from 'node:crypto';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import type { QueryRunner } from 'typeorm';
import { Pauses } from './pauses.js';

const { leaseMs, leaseRenewEveryMs, leaseAnswerMs } = LIMITS.postgres;

/**
 * Takes the lease or renews it. Whoever finds another's still running leaves the row alone: a lock on it would hold
 * up that one's renewals. Takers are told apart under the row's lock, so the condition stands twice.
 */
const HOLD = {
  name: 'lease-hold',
  text: `
    insert into leases as lease (name, holder, fence, expires_at)
    select $1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond'
    where $4 or not exists (
      select from leases where name = $1 and holder <> $2 and expires_at > clock_timestamp())
    on conflict (name) do update set
      fence = lease.fence + (lease.holder <> excluded.holder)::int,
      holder = excluded.holder,
      expires_at = clock_timestamp() + $3 * interval '1 millisecond'
    where $4 or lease.holder = excluded.holder or lease.expires_at <= clock_timestamp()
    returning fence`,
};
const GIVE_UP = {
  name: 'lease-give-up',
  text: 'update leases set expires_at = clock_timestamp() where name = $1 and holder = $2',
};

/** Known to pg, though not to its types. */
const ANSWER_IN_TIME = { query_timeout: leaseAnswerMs };

/** Creates the table `leases`, for a service's migration. */
export async function createLeasesTable(runner: QueryRunner): Promise<void> {
  await runner.query(`
    create table leases (
      name text primary key,
      holder text not null,
      fence bigint not null,
      expires_at timestamptz not null
    ) with (fillfactor = 10)`);
}

/** Undoes `createLeasesTable`. */
export async function dropLeasesTable(runner: QueryRunner): Promise<void> {
  await runner.query('drop table leases');
}

export interface LeaseOptions {
  /** Of the database that has the table `leases`; a renewal takes one of its connections for a moment. */
  readonly pool: Pool;
  /** What is leased. */
  readonly name: string;
  readonly logger: Logger;
  /**
   * No other process can be at work (the embedded shape): the first try takes the lease from whoever is written down
   * as its holder, which is a process that was killed.
   */
  readonly isOnlyInstance: boolean;
  /** The lease is this instance's, from now until `onLost`. `fence` is larger than that of every holder before. */
  readonly onHeld: (fence: number) => void;
  /** It is not any more, or can't be known to be. `onHeld` follows when it is got again, perhaps with the same fence. */
  readonly onLost: () => void;
}

/**
 * The right to do what one instance does at a time. Its holder renews it every `leaseRenewEveryMs`; by the database's
 * clock it ends `leaseMs` after the last renewal, and the others, who try as often, take it: within 2 s of a holder
 * that is killed, frozen or cut off.
 *
 * A holder that was frozen wakes up and goes on in the middle of its work, before any timer tells it. So whatever it
 * writes must be guarded by the fence: a row beside the written ones keeps the fence of the newest holder, who raises
 * it before it begins (`set fence = $1 where fence < $1`), and every write says `where fence = $1`. For effects outside
 * the database ask `isHeld` directly before each, and let receivers drop what comes twice.
 */
export class Lease {
  readonly #holder = randomUUID();
  #fence: number | null = null;
  /** Of `performance.now()`. */
  #heldUntilMs = 0;
  #lossTimer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  readonly #pauses = new Pauses();

  constructor(private readonly options: LeaseOptions) {}

  /** Whether it is held at this moment: renewed so lately that nobody else can have taken it. */
  get isHeld(): boolean {
    return this.#fence !== null && performance.now() < this.#heldUntilMs;
  }

  /** Resolves after the first try, whatever came of it: `onHeld` has been called by then, or others hold the lease. */
  async start(): Promise<void> {
    const firstTry = this.#try(this.options.isOnlyInstance);
    this.#running = firstTry.then(() => this.#run());
    await firstTry;
  }

  /** Gives the lease up, so that another may take it at once. End the work first; `onLost` is not called. */
  async stop(): Promise<void> {
    this.#pauses.end();
    await this.#running;
    clearTimeout(this.#lossTimer);
    if (this.#fence === null) return;
    this.#fence = null;
    const { pool, name, logger } = this.options;
    try {
      await pool.query({ ...GIVE_UP, ...ANSWER_IN_TIME, values: [name, this.#holder] });
    } catch (err) {
      logger.warn({ err, lease: name }, 'a lease was not given up, it ends by itself');
    }
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#pauses.pause(leaseRenewEveryMs);
      if (this.#pauses.hasEnded) return;
      await this.#try(false);
    }
  }

  async #try(takesFromOthers: boolean): Promise<void> {
    const { pool, name, logger } = this.options;
    const sentAtMs = performance.now();
    try {
      const { rows } = await pool.query<{ fence: string }>({
        ...HOLD,
        ...ANSWER_IN_TIME,
        values: [name, this.#holder, leaseMs, takesFromOthers],
      });
      const [row] = rows;
      if (row === undefined) this.#lose();
      else this.#hold(Number(row.fence), sentAtMs + leaseMs);
    } catch (err) {
      logger.warn({ err, lease: name }, 'a lease could not be renewed or asked for, another try follows');
    }
  }

  #hold(fence: number, untilMs: number): void {
    const leftMs = untilMs - performance.now();
    // The answer came when the time was over: the next try says who holds it by then.
    if (leftMs <= 0) return this.#lose();
    this.#heldUntilMs = untilMs;
    clearTimeout(this.#lossTimer);
    this.#lossTimer = setTimeout(() => this.#lose(), leftMs);
    if (this.#fence === fence) return;
    this.#fence = fence;
    this.options.onHeld(fence);
  }

  #lose(): void {
    clearTimeout(this.#lossTimer);
    if (this.#fence === null) return;
    this.#fence = null;
    this.options.onLost();
  }
}
