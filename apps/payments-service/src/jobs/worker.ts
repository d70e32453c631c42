import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import type { Clock } from '../shared/clock.js';
import { claimAction, expiryAction } from '../commands/payment-actions.js';
import { forEachConcurrent } from '../shared/for-each-concurrent.js';
import type { KeyRows } from '../commands/idempotency/key-rows.js';
import type { KnownPeople } from '../user-replica/known-people.js';
import type { OwnedAddress } from '../user-replica/save-records.js';
import type { PaymentViews } from '../read-models/payments/payment-views.js';
import type { WorkAct } from '../read-models/open-work/open-work.js';
import type { TransferRunner } from '../transfer/transfer-runner.js';
import type { WalletOwnership } from '../transfer/wallet-ownership.js';
import { NewProofs } from './new-proofs.js';
import { DueWork, type Claimable, type DueRow } from './due-work.js';

const US_PER_MS = 1_000;
const US_PER_DAY = 86_400_000_000;

export interface WorkerParts {
  readonly pool: Pool;
  readonly keys: KeyRows;
  readonly users: KnownPeople;
  readonly views: PaymentViews;
  readonly runner: TransferRunner;
  readonly ownership: WalletOwnership;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly expiryDays: number;
}

/** Finishes what was left over, ends what fell due, gives held pays to those who proved the address, forgets old keys. */
export class Worker {
  /** Rows taken up since the start. */
  readonly taken: Record<WorkAct, number> = { finish: 0, expire: 0 };
  readonly #due: DueWork;
  readonly #expireAfterUs: number;
  readonly #proofs = new NewProofs((addresses) => this.#claimProven(addresses));
  #isStopped = false;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #keySweep: Promise<unknown> | null = null;
  #ticks = 0;

  constructor(private readonly parts: WorkerParts) {
    this.#expireAfterUs = parts.expiryDays * US_PER_DAY;
    const finishAfterUs = LIMITS.payments.unfinishedAfterMs * US_PER_MS;
    this.#due = new DueWork(parts.pool, {
      waitUs: { finish: finishAfterUs, expire: this.#expireAfterUs },
      isOurs: (userId) => parts.ownership.owns(userId),
    });
  }

  start(): void {
    this.#isStopped = false;
    const tick = () => {
      this.#running = this.#round().finally(() => {
        if (this.#timer !== null) this.#timer = setTimeout(tick, LIMITS.payments.workerTickMs);
      });
    };
    this.#timer = setTimeout(tick, LIMITS.payments.workerTickMs);
  }

  /** Ends with the payments that are worked on. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await Promise.all([this.#running, this.#keySweep, this.#proofs.stop()]);
  }

  /** Takes what is due now. Resolves with how many payments it looked at. */
  async workOff(): Promise<number> {
    const nowUs = this.parts.clock.nowUs();
    const rows = await this.#due.take(nowUs, LIMITS.payments.workerRows);
    await forEachConcurrent(rows, LIMITS.payments.workerLanes, async (row) => {
      this.taken[row.act] += 1;
      if (await this.#isDone(row.paymentId, () => this.#work(row, nowUs))) return;
      await this.#due.putOff(row, this.parts.clock.nowUs()).catch(() => undefined);
    });
    return rows.length;
  }

  /** Settles the pending pays to these addresses; without addresses, the next of all that are held. */
  async claim(addresses: readonly OwnedAddress[] | null): Promise<void> {
    const { heldPerSweep, workerRows, workerLanes, proofLanes } = LIMITS.payments;
    const claimable = await (addresses === null
      ? this.#due.nextClaimable(heldPerSweep, workerRows)
      : this.#due.claimableAt(addresses, workerRows));
    await forEachConcurrent(claimable, addresses === null ? workerLanes : proofLanes, async (row) => {
      await this.#isDone(row.paymentId, () => this.#claim(row));
    });
  }

  /** What is held for these addresses is to be settled soon; nobody waits for it. */
  proven(addresses: readonly OwnedAddress[]): void {
    this.#proofs.add(addresses);
  }

  /** Removes the idempotency keys that are past their day. Resolves with how many. */
  forgetOldKeys(): Promise<number> {
    return this.parts.keys.removeOld(this.parts.clock.nowUs(), () => !this.#isStopped);
  }

  /** Runs beside the rounds, which must not wait for it: there may be as many keys as there were requests. */
  #sweepKeys(): void {
    this.#keySweep ??= this.forgetOldKeys()
      .catch((err: unknown) => this.parts.logger.error({ err }, 'old idempotency keys were not removed; retrying'))
      .finally(() => (this.#keySweep = null));
  }

  async #claimProven(addresses: readonly OwnedAddress[]): Promise<void> {
    const { ownership } = this.parts;
    const ours = addresses.filter(({ userId }) => ownership.owns(userId));
    const others = addresses.filter(({ userId }) => !ownership.owns(userId));
    try {
      if (ours.length > 0) await this.claim(ours);
      const userIds = [...new Set(others.map(({ userId }) => userId))];
      await forEachConcurrent(userIds, LIMITS.payments.proofLanes, (userId) => ownership.requestClaim(userId));
    } catch (err) {
      this.parts.logger.error({ err }, 'claims of proven addresses are left to the sweep');
    }
  }

  async #round(): Promise<void> {
    try {
      await this.workOff();
      this.#ticks += 1;
      if (this.#ticks % LIMITS.payments.claimSweepTicks === 0) await this.claim(null);
      if (this.#ticks % LIMITS.payments.keySweepTicks === 0) this.#sweepKeys();
    } catch (err) {
      this.parts.logger.error({ err }, 'the worker could not look for open work');
    }
  }

  async #work({ paymentId, act }: DueRow, atUs: number): Promise<void> {
    const { runner, views } = this.parts;
    const { payment, waitsForWalletId } = await runner.advance(paymentId, null);
    if (waitsForWalletId !== null) return;
    if (act === 'finish' || payment.status !== 'pending') return;
    const { actorId, target, mode } = payment.facts;
    const targetUserId = await views.targetUserId({
      status: payment.status,
      mode,
      actorId,
      targetUserId: target.userId,
      targetType: target.type,
      targetAddress: target.address,
    });
    await runner.advance(paymentId, expiryAction(targetUserId, this.#expireAfterUs, atUs));
  }

  /** A frozen or business claimant gets nothing: the pay stays pending. */
  async #claim({ paymentId, claimantId }: Claimable): Promise<void> {
    const { runner, users, clock } = this.parts;
    const claimant = await users.user(claimantId);
    if (claimant === null || claimant.isFrozen || claimant.isBusiness) return;
    await runner.advance(paymentId, claimAction(claimantId, clock.nowUs()));
  }

  /** One payment's trouble holds up no other; it comes again with a later round. */
  async #isDone(paymentId: string, work: () => Promise<void>): Promise<boolean> {
    if (this.#isStopped) return true;
    try {
      await work();
      return true;
    } catch (err) {
      // Somebody ended it meanwhile.
      if (err instanceof SettleError && err.code === 'payment_not_pending') return true;
      this.parts.logger.warn({ err, paymentId }, 'open work is put off');
      return false;
    }
  }
}
