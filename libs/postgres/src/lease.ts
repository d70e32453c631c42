import { randomUUID } from 'node:crypto';
import { PeriodicTask } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import type { QueryRunner } from 'typeorm';

const { leaseMs, leaseRenewEveryMs, leaseAnswerMs } = LIMITS.postgres;

/**
 * Whether another instance may hold the lease. An expiry that is far ahead was set before the clock of the database went back:
 * without the second condition a dead holder would keep the lease for as long as the clock went back.
 */
const IS_VALID = `lease.expires_at > clock_timestamp()
        and lease.expires_at <= clock_timestamp() + 2 * $3 * interval '1 millisecond'`;
/**
 * Acquires or renews the lease. While another instance holds it, the statement does not touch the row: a row lock would
 * delay the renewals of the holder. Under the row lock the condition is checked again to decide between instances.
 */
const ACQUIRE_OR_RENEW = {
  name: 'lease-hold',
  text: `
    insert into leases as lease (name, holder, fence, expires_at)
    select $1, $2, 1, clock_timestamp() + $3 * interval '1 millisecond'
    where $4 or not exists (
      select from leases as lease where name = $1 and holder <> $2 and ${IS_VALID})
    on conflict (name) do update set
      fence = lease.fence + (lease.holder <> excluded.holder)::int,
      holder = excluded.holder,
      expires_at = clock_timestamp() + $3 * interval '1 millisecond'
    where $4 or lease.holder = excluded.holder or not (${IS_VALID})
    returning fence`,
};
const RELEASE = {
  name: 'lease-give-up',
  text: 'update leases set expires_at = clock_timestamp() where name = $1 and holder = $2',
};

/** `pg` supports this option, although its types lack it. */
const QUERY_TIMEOUT = { query_timeout: leaseAnswerMs };

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

/** Reverts `createLeasesTable`. */
export async function dropLeasesTable(runner: QueryRunner): Promise<void> {
  await runner.query('drop table leases');
}

export interface LeaseOptions {
  /** Pool of the database with the table `leases`; each renewal uses one connection briefly. */
  readonly pool: Pool;
  /** Name of the leased resource. */
  readonly name: string;
  readonly logger: Logger;
  /**
   * Whether no other process can run, as in the all-in-one process: the first attempt then takes the lease over from the
   * recorded holder, which must be a killed process.
   */
  readonly isOnlyInstance: boolean;
  /** Called when this instance acquires the lease. `fence` is a fencing token, larger than that of any earlier holder. */
  readonly onHeld: (fence: number) => void;
  /** Called when the lease is lost or may be lost. When it is acquired again, `onHeld` may get the same fence. */
  readonly onLost: () => void;
}

/**
 * A lease on work that one instance does at a time. The holder renews it every `leaseRenewEveryMs`. By the clock of the
 * database it expires `leaseMs` after the last renewal. Another instance tries to acquire it as often, and each try ends after
 * `leaseAnswerMs` at most: it holds the lease within the sum of the three, 3 s, after the holder is killed, frozen or
 * disconnected, and up to `leaseMs` later if the clock of the database goes back.
 *
 * A frozen holder resumes in the middle of its work, before any timer fires. So its writes need the fencing token: a row
 * in the same database stores the fence of the newest holder, who raises it before its first write (`set fence = $1 where
 * fence < $1`), and every write has the condition `where fence = $1`. Before an effect outside the database check
 * `isHeld`; the receivers must ignore duplicates.
 */
export class Lease {
  readonly #holder = randomUUID();
  #fence: number | null = null;
  /** Time on the clock of `performance.now()`. */
  #heldUntilMs = 0;
  #lossTimer: NodeJS.Timeout | undefined;
  #firstAttempt: Promise<void> = Promise.resolve();
  readonly #renewal: PeriodicTask;

  constructor(private readonly options: LeaseOptions) {
    this.#renewal = new PeriodicTask({
      run: () => this.#acquireOrRenew(false),
      everyMs: leaseRenewEveryMs,
      isDelayed: true,
      onError: (err) => this.#warn(err),
    });
  }

  /** Whether this instance holds the lease now: the last renewal has not expired. */
  get isHeld(): boolean {
    return this.#fence !== null && performance.now() < this.#heldUntilMs;
  }

  /** Resolves after the first attempt: `onHeld` has been called, or another instance holds the lease, or it failed. */
  async start(): Promise<void> {
    this.#firstAttempt = this.#acquireOrRenew(this.options.isOnlyInstance).catch((err: unknown) => this.#warn(err));
    await this.#firstAttempt;
    this.#renewal.start();
  }

  /** Releases the lease, so that another instance can acquire it at once. End the work first; `onLost` is not called. */
  async stop(): Promise<void> {
    await this.#renewal.stop();
    await this.#firstAttempt;
    clearTimeout(this.#lossTimer);
    if (this.#fence === null) return;
    this.#fence = null;
    const { pool, name, logger } = this.options;
    try {
      await pool.query({ ...RELEASE, ...QUERY_TIMEOUT, values: [name, this.#holder] });
    } catch (err) {
      logger.warn({ err, lease: name }, 'lease could not be released; waiting for it to expire');
    }
  }

  async #acquireOrRenew(takesOver: boolean): Promise<void> {
    const { pool, name } = this.options;
    const sentAtMs = performance.now();
    const { rows } = await pool.query<{ fence: string }>({
      ...ACQUIRE_OR_RENEW,
      ...QUERY_TIMEOUT,
      values: [name, this.#holder, leaseMs, takesOver],
    });
    const [row] = rows;
    if (row === undefined) this.#markLost();
    else this.#markHeld(Number(row.fence), sentAtMs + leaseMs);
  }

  #warn(err: unknown): void {
    this.options.logger.warn({ err, lease: this.options.name }, 'lease could not be acquired or renewed; retrying');
  }

  #markHeld(fence: number, untilMs: number): void {
    const leftMs = untilMs - performance.now();
    // The response arrived after the expiry: the next attempt finds out which instance holds the lease.
    if (leftMs <= 0) return this.#markLost();
    this.#heldUntilMs = untilMs;
    clearTimeout(this.#lossTimer);
    this.#lossTimer = setTimeout(() => this.#markLost(), leftMs);
    if (this.#fence === fence) return;
    this.#fence = fence;
    this.options.onHeld(fence);
  }

  #markLost(): void {
    clearTimeout(this.#lossTimer);
    if (this.#fence === null) return;
    this.#fence = null;
    this.options.onLost();
  }
}
