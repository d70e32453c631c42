import { PeriodicTask, forEachConcurrent } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { nextAskUs } from '../jobs/funding-schedule.js';
import { PUT_OFF_US, findOwnedRows } from '../jobs/owned-rows.js';
import type { FundingRef } from '../read-models/funding/funding-unit.js';
import type { Clock } from '../storage/clock.js';
import type { FundingRunner } from './funding-runner.js';

const DUE = {
  name: 'due-funding',
  text: `select kind, id, user_id as "userId" from funding where due_us <= $1
    order by due_us, kind, id limit $2 offset $3`,
};
const PUT_OFF = {
  name: 'put-off-funding',
  text: 'update funding set due_us = $3 where kind = $1 and id = $2 and due_us < $3',
};

interface DueFunding extends FundingRef {
  readonly kind: 'deposit' | 'withdrawal' | 'reversal';
  readonly userId: string;
}

export interface FundingWorkerParts {
  readonly pool: Pool;
  readonly runner: Pick<FundingRunner, 'advance'>;
  readonly owns: (userId: string) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Completes deposits, withdrawals and reversals that a process left incomplete, and asks the provider again about those
 * that wait for it, at growing intervals. It shares no place with payments.
 */
export class FundingWorker {
  readonly #rounds: PeriodicTask;
  #isStopped = false;

  constructor(private readonly parts: FundingWorkerParts) {
    this.#rounds = new PeriodicTask({
      everyMs: LIMITS.payments.workerTickMs,
      isDelayed: true,
      run: async () => void (await this.runDue()),
      onError: (err) => parts.logger.error({ err }, 'funding that waits not read; retrying'),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Resolves after the work in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#rounds.stop();
  }

  /** Works on everything of this instance that is due. Returns the number of rows. Errors: the database's. */
  async runDue(): Promise<number> {
    const { fundingRows, fundingConcurrency } = LIMITS.payments;
    const rows = await this.#due(fundingRows);
    await forEachConcurrent(rows, fundingConcurrency, async (row) => {
      if (this.#isStopped) return;
      try {
        await this.#work(row);
      } catch (err) {
        // One that fails delays no other one.
        const { kind, id } = row;
        this.parts.logger.warn({ err, kind, id }, 'funding not advanced; postponed');
        await this.#postpone(row, this.parts.clock.nowUs() + PUT_OFF_US).catch(() => undefined);
      }
    });
    return rows.length;
  }

  async #work(row: DueFunding): Promise<void> {
    const { runner, clock } = this.parts;
    const { waitsFor, beginBeforeUs } = await runner.advance(row);
    const nowUs = clock.nowUs();
    // The row of one that has ended or waits for an operator is replaced by the projection.
    if (waitsFor === 'provider' && beginBeforeUs !== null) {
      await this.#postpone(row, nextAskUs([{ beginBeforeUs }], nowUs));
    } else {
      await this.#postpone(row, nowUs + PUT_OFF_US);
    }
  }

  /** Returns the oldest rows of this instance. */
  #due(limit: number): Promise<DueFunding[]> {
    const { pool, owns, clock } = this.parts;
    const nowUs = clock.nowUs();
    const readPage = (...page: [limit: number, offset: number]) =>
      pool.query<DueFunding>({ ...DUE, values: [nowUs, ...page] });
    return findOwnedRows(readPage, ({ userId }) => owns(userId), limit);
  }

  async #postpone({ kind, id }: DueFunding, dueUs: number): Promise<void> {
    await this.parts.pool.query({ ...PUT_OFF, values: [kind, id, dueUs] });
  }
}
