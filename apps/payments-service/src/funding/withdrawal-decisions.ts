import { LIMITS } from '@settle/config';
import type { EventStore } from '@settle/event-store';
import { decideWithdrawal, type WithdrawalCommand, type WithdrawalDecision } from '@settle/payments-domain';
import { appendToFunding } from './funding-appends.js';
import type { FundingHistoryReader } from './funding-history.js';
import type { FundingRunner } from './funding-runner.js';

const { appendTries } = LIMITS.payments;

/** Stores what the owner or an operator decides about a withdrawal. */
export class WithdrawalDecisions {
  constructor(
    private readonly store: Pick<EventStore, 'append'>,
    private readonly histories: FundingHistoryReader,
    private readonly runner: Pick<FundingRunner, 'advance'>,
  ) {}

  /**
   * Decides and stores, without advancing the withdrawal after it. Returns what was decided; `append`: it is stored. Errors:
   * those of the store and the database; the withdrawal changes too often.
   */
  async decide(withdrawalId: string, command: WithdrawalCommand): Promise<WithdrawalDecision['kind']> {
    const ref = { kind: 'withdrawal', id: withdrawalId } as const;
    for (let tries = 1; tries <= appendTries; tries += 1) {
      const { funding, revision } = await this.histories.read(ref);
      if (funding.kind !== 'withdrawal') throw new RangeError('Only a withdrawal can be decided');
      const decision = decideWithdrawal(command, funding.state, funding.steps.isWithdrawn);
      if (decision.kind === 'not-yet') {
        await this.runner.advance(ref);
        continue;
      }
      if (decision.kind !== 'append') return decision.kind;
      const position = await appendToFunding(this.store, [{ ...ref, event: decision.event }], revision);
      if (position !== null) return 'append';
    }
    throw new Error(`The withdrawal ${withdrawalId} changes too often`);
  }
}
