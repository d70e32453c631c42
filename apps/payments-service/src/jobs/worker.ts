import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import type { Clock } from '../storage/clock.js';
import { claimAction, expiryAction } from '../commands/payment-actions.js';
import { PeriodicTask, forEachConcurrent } from '@settle/concurrency';
import { START } from '@settle/event-store';
import type { KeyRows } from '../commands/idempotency/key-rows.js';
import type { UserReplica } from '../user-replica/user-replica.js';
import type { OwnedAddress } from '../user-replica/save-records.js';
import type { PaymentViews } from '../read-models/payments/payment-views.js';
import type { WorkAct } from '../read-models/open-work/open-work.js';
import type { PaymentFunding } from '../transfer/payment-funding.js';
import type { TransferResult, TransferRunner } from '../transfer/transfer-runner.js';
import type { WalletOwnership } from '../transfer/wallet-ownership.js';
import { pauseAfterBatch } from './backlog.js';
import { VerifiedAddressQueue } from './verified-address-queue.js';
import { nextAskUs } from './funding-schedule.js';
import { DueWork, type Claimable, type DueRow } from './due-work.js';

const US_PER_MS = 1_000;
const US_PER_DAY = 86_400_000_000;
const SWEEP_EVERY_MS = LIMITS.payments.claimSweepTicks * LIMITS.payments.workerTickMs;

export interface WorkerDependencies {
  readonly pool: Pool;
  readonly keys: KeyRows;
  readonly users: UserReplica;
  readonly views: PaymentViews;
  readonly runner: TransferRunner;
  /** Null: no provider is set. */
  readonly funding: PaymentFunding | null;
  readonly ownership: WalletOwnership;
  /** Waits, within bounds, until the read models have reached a log position. */
  readonly awaitProjection: (position: number) => Promise<unknown>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly expiryDays: number;
}

/** Completes payments that a process left incomplete, expires those that are due, settles held pays of verified addresses, and removes expired idempotency keys. */
export class Worker {
  /** Rows started since the start of the process, by act. */
  readonly startedRows: Record<WorkAct, number> = { finish: 0, expire: 0, funding: 0 };
  readonly #due: DueWork;
  readonly #expireAfterUs: number;
  readonly #verified = new VerifiedAddressQueue((addresses) => this.#claimVerified(addresses));
  readonly #rounds: PeriodicTask;
  /** Runs beside the rounds, which do not wait for it: the provider may be slow. */
  readonly #fundingRounds: PeriodicTask;
  /** Runs beside the rounds, which do not wait for it: there may be as many keys as requests. */
  readonly #keySweep: PeriodicTask;
  #isStopped = false;
  #nextSweepAtMs = performance.now() + SWEEP_EVERY_MS;

  constructor(private readonly dependencies: WorkerDependencies) {
    this.#expireAfterUs = dependencies.expiryDays * US_PER_DAY;
    const { unfinishedAfterMs, workerTickMs, keySweepTicks } = LIMITS.payments;
    const unfinishedAfterUs = unfinishedAfterMs * US_PER_MS;
    const waitUs = { finish: unfinishedAfterUs, funding: unfinishedAfterUs, expire: this.#expireAfterUs };
    this.#due = new DueWork(dependencies.pool, waitUs, (userId) => dependencies.ownership.owns(userId));
    const { logger } = dependencies;
    this.#rounds = new PeriodicTask({
      everyMs: workerTickMs,
      isDelayed: true,
      run: () => this.runRound(),
      onError: (err) => logger.error({ err }, 'open work not read; retrying'),
    });
    this.#fundingRounds = new PeriodicTask({
      everyMs: workerTickMs,
      isDelayed: true,
      run: async () => void (await this.runDueFunding()),
      onError: (err) => logger.error({ err }, 'payments that wait for the provider not read; retrying'),
    });
    this.#keySweep = new PeriodicTask({
      everyMs: keySweepTicks * workerTickMs,
      isDelayed: true,
      run: async () => void (await this.removeExpiredKeys()),
      onError: (err) => logger.error({ err }, 'expired idempotency keys not removed; retrying'),
    });
  }

  start(): void {
    this.#rounds.start();
    if (this.dependencies.funding !== null) this.#fundingRounds.start();
    this.#keySweep.start();
  }

  /** Resolves after the payments in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const tasks = [this.#rounds, this.#fundingRounds, this.#keySweep, this.#verified];
    await Promise.all(tasks.map((task) => task.stop()));
  }

  /** Works on what is due, at most `workerRows`. Returns the number of payments. */
  async runDueWork(): Promise<number> {
    return (await this.#runDueBatch()).rows;
  }

  /** Works on what is due, and sweeps once in a while. Returns the pause before the next round in ms; undefined for a tick. */
  async runRound(): Promise<number | undefined> {
    const { workerRows: limit } = LIMITS.payments;
    const startedAtMs = performance.now();
    const { completed, position } = await this.#runDueBatch();
    // Completed work must be gone from the read model before the next round reads it at once.
    if (completed === limit) await this.dependencies.awaitProjection(position);
    let settled = 0;
    if (startedAtMs >= this.#nextSweepAtMs) {
      settled = await this.claim(null);
      this.#nextSweepAtMs = performance.now() + (settled === limit ? 0 : SWEEP_EVERY_MS);
    }
    const tookMs = performance.now() - startedAtMs;
    return pauseAfterBatch({ completed: Math.max(completed, settled), limit, tookMs });
  }

  /** Asks the provider for the payments for which that is due. Returns the number of payments. */
  async runDueFunding(): Promise<number> {
    const { fundingRows, fundingConcurrency } = LIMITS.payments;
    const { clock } = this.dependencies;
    const rows = await this.#due.findDueFunding(clock.nowUs(), fundingRows);
    await forEachConcurrent(rows, fundingConcurrency, async (row) => {
      this.startedRows[row.act] += 1;
      if (await this.#isDone(row.paymentId, () => this.#askProvider(row))) return;
      await this.#due.postpone(row, clock.nowUs()).catch(() => undefined);
    });
    return rows.length;
  }

  /** Settles pending pays to these addresses; for null, the next ones of all held pays. Returns the number of settled ones. */
  async claim(addresses: readonly OwnedAddress[] | null): Promise<number> {
    const { heldPerSweep, workerRows, workerConcurrency, claimConcurrency } = LIMITS.payments;
    const claimable = await (addresses === null
      ? this.#due.findNextClaimable(heldPerSweep, workerRows)
      : this.#due.findClaimableAt(addresses, workerRows));
    let settled = 0;
    await forEachConcurrent(claimable, addresses === null ? workerConcurrency : claimConcurrency, async (row) => {
      await this.#isDone(row.paymentId, async () => {
        if (await this.#claim(row)) settled += 1;
      });
    });
    return settled;
  }

  /** Queues newly verified addresses, whose held pays are settled in the background. */
  queueVerified(addresses: readonly OwnedAddress[]): void {
    this.#verified.add(addresses);
  }

  /** Removes idempotency keys that are older than a day. Returns their number. */
  removeExpiredKeys(): Promise<number> {
    return this.dependencies.keys.removeOld(this.dependencies.clock.nowUs(), () => !this.#isStopped);
  }

  async #claimVerified(addresses: readonly OwnedAddress[]): Promise<void> {
    const { ownership } = this.dependencies;
    const owned = addresses.filter(({ userId }) => ownership.owns(userId));
    const others = addresses.filter(({ userId }) => !ownership.owns(userId));
    try {
      if (owned.length > 0) await this.claim(owned);
      const userIds = [...new Set(others.map(({ userId }) => userId))];
      await forEachConcurrent(userIds, LIMITS.payments.claimConcurrency, (userId) => ownership.requestClaim(userId));
    } catch (err) {
      this.dependencies.logger.error({ err }, 'held pays of verified addresses not settled; the sweep settles them');
    }
  }

  async #runDueBatch(): Promise<{ rows: number; completed: number; position: number }> {
    const nowUs = this.dependencies.clock.nowUs();
    const rows = await this.#due.findDue(nowUs, LIMITS.payments.workerRows);
    let [completed, position]: [number, number] = [0, START];
    await forEachConcurrent(rows, LIMITS.payments.workerConcurrency, async (row) => {
      this.startedRows[row.act] += 1;
      const work = async () => {
        const result = await this.#work(row, nowUs);
        if (result === null) return;
        completed += 1;
        position = Math.max(position, result.position);
      };
      if (await this.#isDone(row.paymentId, work)) return;
      await this.#due.postpone(row, this.dependencies.clock.nowUs()).catch(() => undefined);
    });
    return { rows: rows.length, completed, position };
  }

  /** Returns null if the rest waits for another owner. The provider is asked beside this work, which does not wait for it. */
  async #work(row: DueRow, atUs: number): Promise<TransferResult | null> {
    const { runner, funding, clock } = this.dependencies;
    const { paymentId, act } = row;
    const result = await runner.advance(paymentId, null);
    const { payment, waitsForWalletId, calls } = result;
    if (waitsForWalletId !== null) return null;
    if (act !== 'finish' && payment.status === 'pending') return this.#expire(result, atUs);
    if (calls.length > 0) {
      funding?.askSoon(result);
      await this.#due.postponeUntil(row, nextAskUs(calls, clock.nowUs()));
    }
    return result;
  }

  async #expire({ paymentId, payment }: TransferResult, atUs: number): Promise<TransferResult> {
    const { runner, funding, views } = this.dependencies;
    const { targetUserId } = await views.rowOf(paymentId, payment);
    const expired = await runner.advance(paymentId, expiryAction(targetUserId, this.#expireAfterUs, atUs));
    funding?.askSoon(expired);
    return expired;
  }

  /** A payment that has its answer loses its row; the others are asked about at growing intervals, for as long as it takes. */
  async #askProvider(row: DueRow): Promise<void> {
    const { funding, runner, clock } = this.dependencies;
    const result = await (funding?.advanceNow(row.paymentId) ?? runner.advance(row.paymentId, null));
    const { payment, calls } = result;
    if (calls.length === 0) return;
    const nowUs = clock.nowUs();
    await this.#due.postponeUntil(row, nextAskUs(calls, nowUs));
    // A payment that waits for the provider has no row of its own to expire it.
    if (payment.status === 'pending' && nowUs >= payment.facts.atUs + this.#expireAfterUs) {
      await this.#expire(result, nowUs);
    }
  }

  /** Returns whether the pay is settled. A frozen or business claimant gets nothing: the pay stays pending. */
  async #claim({ paymentId, claimantId }: Claimable): Promise<boolean> {
    const { runner, funding, users, clock } = this.dependencies;
    const claimant = await users.findUser(claimantId);
    if (claimant === null || claimant.isFrozen || claimant.isBusiness) return false;
    const claimed = await runner.advance(paymentId, claimAction(claimantId, clock.nowUs()));
    funding?.askSoon(claimed);
    return true;
  }

  /** Returns whether the work is done. A failure is logged and retried in a later round, so that it delays no other payment. */
  async #isDone(paymentId: string, work: () => Promise<void>): Promise<boolean> {
    if (this.#isStopped) return true;
    try {
      await work();
      return true;
    } catch (err) {
      // A user has ended it since.
      if (err instanceof SettleError && err.code === 'payment_not_pending') return true;
      this.dependencies.logger.warn({ err, paymentId }, 'open work failed; postponed');
      return false;
    }
  }
}
