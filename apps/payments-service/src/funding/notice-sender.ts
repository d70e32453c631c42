import { PeriodicTask, forEachConcurrent } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { NotifyFundingOutcome } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { PUT_OFF_US, findOwnedRows } from '../jobs/owned-rows.js';
import type { Clock } from '../storage/clock.js';

const { noticeEveryMs, noticeRows, noticeConcurrency, noticeAfterMs, noticeWithinMs } = LIMITS.provider;
const US_PER_MS = 1_000;

/**
 * No user is notified of a request that has ended since, of a withdrawal that the user cancelled, or of money that the next
 * line repays: that line is of the same append.
 */
const DUE = {
  name: 'due-funding-notices',
  text: `select e.wallet_id as "userId", e.revision,
      case when e.event_type = 'FundingDeclined' then 'approval_declined'
        when e.event_type = 'WithdrawalReversed' and e.repayment_key is null then 'withdrawal_returned'
        else 'repayment_returned' end as outcome,
      coalesce(e.repayment_key, e.funding_id, e.charge_key, concat(e.payment_id, ':', e.attempt)) as id,
      case e.event_type when 'FundingDeclined' then p.status is not distinct from 'pending'
        when 'WithdrawalReversed' then f.reason is distinct from 'cancelled'
        else not exists (select from ledger_entries n where n.wallet_id = e.wallet_id and n.revision = e.revision + 1
          and n.event_type = 'FundsWithdrawn') end as "isWanted"
    from ledger_entries e
    left join payments p on e.event_type = 'FundingDeclined' and p.id = e.payment_id
    left join funding f on e.repayment_key is null and f.kind = 'withdrawal' and f.id = e.funding_id
    where e.notice_due_us > $1 and e.notice_due_us <= $2
    order by e.notice_due_us, e.wallet_id, e.revision limit $3 offset $4`,
};
const SET_DUE = {
  name: 'set-funding-notice-due',
  text: 'update ledger_entries set notice_due_us = $3 where wallet_id = $1 and revision = $2',
};

interface DueNotice extends NotifyFundingOutcome {
  /** Revision of the wallet's event. */
  readonly revision: number;
  readonly isWanted: boolean;
}

export interface NoticeSenderParts {
  readonly pool: Pool;
  /** Requests the e-mail; repeated, it sends no other one. */
  readonly notify: (notice: NotifyFundingOutcome) => Promise<unknown>;
  readonly owns: (userId: string) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Has users notified of approvals that their card or account declined, and of money that came back. A line of the journal
 * waits until auth-service has queued its e-mail, so none is lost with a process; auth-service queues each once.
 */
export class NoticeSender {
  readonly #rounds: PeriodicTask;
  #isStopped = false;

  constructor(private readonly parts: NoticeSenderParts) {
    const { logger } = parts;
    this.#rounds = new PeriodicTask({
      everyMs: noticeEveryMs,
      isDelayed: true,
      run: async () => void (await this.runDue()),
      onError: (err) => logger.warn({ err }, 'e-mails about money that came back not requested; retrying'),
    });
  }

  start(): void {
    this.#rounds.start();
  }

  /** Waits for the requests in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#rounds.stop();
  }

  /**
   * Requests the e-mails that are due at this instance. After a failure the rest of the round waits for the next one, and
   * the failed one comes after it. Returns the number of lines that wait no longer. Errors: the first failure.
   */
  async runDue(): Promise<number> {
    const rows = await this.#due();
    let done = 0;
    const failures: unknown[] = [];
    await forEachConcurrent(rows, noticeConcurrency, async (row) => {
      if (this.#isStopped || failures.length > 0) return;
      try {
        const { userId, outcome, id, isWanted } = row;
        if (isWanted) await this.parts.notify({ userId, outcome, id });
        await this.#setDue(row, null);
        done += 1;
      } catch (error) {
        failures.push(error);
        await this.#setDue(row, this.parts.clock.nowUs() + PUT_OFF_US).catch(() => undefined);
      }
    });
    if (failures.length > 0) throw failures[0];
    return done;
  }

  /** Returns the oldest rows of this instance. */
  #due(): Promise<DueNotice[]> {
    const { pool, owns, clock } = this.parts;
    const nowUs = clock.nowUs();
    const between = [nowUs - noticeWithinMs * US_PER_MS, nowUs - noticeAfterMs * US_PER_MS];
    const readPage = (...page: [limit: number, offset: number]) =>
      pool.query<DueNotice>({ ...DUE, values: [...between, ...page] });
    return findOwnedRows(readPage, ({ userId }) => owns(userId), noticeRows);
  }

  async #setDue({ userId, revision }: DueNotice, dueUs: number | null): Promise<void> {
    await this.parts.pool.query({ ...SET_DUE, values: [userId, revision, dueUs] });
  }
}
