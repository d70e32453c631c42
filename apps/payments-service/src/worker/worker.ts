import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import type { Clock } from '../clock.js';
import { claimAction, expiryAction } from '../commands/act-on-payment.js';
import type { KnownPeople } from '../people/known-people.js';
import type { OwnedAddress } from '../people/save-records.js';
import type { PaymentViews } from '../projections/payments/payment-views.js';
import type { WorkAct } from '../projections/open-work/open-work.js';
import type { Transfers } from '../transfer/transfers.js';
import { DueWork, type Claimable } from './due-work.js';

const US_PER_DAY = 86_400_000_000;

export interface WorkerParts {
  readonly pool: Pool;
  readonly people: KnownPeople;
  readonly views: PaymentViews;
  readonly transfers: Transfers;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly expiryDays: number;
}

/** Finishes what was left over, ends what fell due, and gives held pays to those who proved the address. */
export class Worker {
  readonly #due: DueWork;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> = Promise.resolve();
  #ticks = 0;

  constructor(private readonly parts: WorkerParts) {
    this.#due = new DueWork(parts.pool);
  }

  start(): void {
    const tick = () => {
      this.#running = this.#round().finally(() => {
        if (this.#timer !== null) this.#timer = setTimeout(tick, LIMITS.payments.workerTickMs);
      });
    };
    this.#timer = setTimeout(tick, LIMITS.payments.workerTickMs);
  }

  async stop(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#running;
  }

  /** Takes what is due now. Resolves with how many payments it looked at. */
  async workOff(): Promise<number> {
    const nowUs = this.parts.clock.nowUs();
    const rows = await this.#due.take(nowUs, LIMITS.payments.workerRows);
    await inParallel(rows, ({ paymentId, act }) => this.#guard(paymentId, () => this.#work(paymentId, act, nowUs)));
    return rows.length;
  }

  /** Settles the pending pays to these addresses; without addresses, to every address that anybody has proven. */
  async claim(addresses: readonly OwnedAddress[] | null): Promise<void> {
    const claimable = await this.#due.claimable(addresses, LIMITS.payments.workerRows);
    await inParallel(claimable, (row) => this.#guard(row.paymentId, () => this.#claim(row)));
  }

  async #round(): Promise<void> {
    try {
      await this.workOff();
      this.#ticks += 1;
      if (this.#ticks % LIMITS.payments.claimSweepTicks === 0) await this.claim(null);
    } catch (err) {
      this.parts.logger.error({ err }, 'the worker could not look for open work');
    }
  }

  async #work(paymentId: string, act: WorkAct, atUs: number): Promise<void> {
    const { transfers, views, expiryDays } = this.parts;
    const { payment } = await transfers.bring(paymentId, null);
    if (act === 'finish' || payment.status !== 'pending') return;
    const { target } = payment.facts;
    const targetUserId = await views.targetUserId({
      status: payment.status,
      targetUserId: target.userId,
      targetType: target.type,
      targetAddress: target.address,
    });
    await transfers.bring(paymentId, expiryAction(targetUserId, expiryDays * US_PER_DAY, atUs));
  }

  /** A frozen or business claimant gets nothing: the pay stays pending. */
  async #claim({ paymentId, claimantId }: Claimable): Promise<void> {
    const { transfers, people, clock } = this.parts;
    const claimant = await people.user(claimantId);
    if (claimant === null || claimant.isFrozen || claimant.isBusiness) return;
    await transfers.bring(paymentId, claimAction(claimantId, clock.nowUs()));
  }

  /** One payment's trouble holds up no other; it comes again with the next round. */
  async #guard(paymentId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (err) {
      // Somebody ended it meanwhile.
      if (err instanceof SettleError && err.code === 'payment_not_pending') return;
      this.parts.logger.warn({ err, paymentId }, 'open work is put off');
      await this.#due.putOff(paymentId, this.parts.clock.nowUs()).catch(() => undefined);
    }
  }
}

async function inParallel<Row>(rows: readonly Row[], work: (row: Row) => Promise<void>): Promise<void> {
  const waiting = [...rows];
  const lanes = Array.from({ length: LIMITS.payments.workerLanes }, async () => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) await work(row);
  });
  await Promise.all(lanes);
}
