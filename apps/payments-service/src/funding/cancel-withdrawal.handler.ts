import type { CancelWithdrawal, FundingItem } from '@settle/contracts';
import type { Clock } from '../storage/clock.js';
import { orUnknownOutcome, refusedNow, unknownFunding } from './funding-errors.js';
import type { FundingRequests } from './funding-requests.js';
import type { WithdrawalDecisions } from './withdrawal-decisions.js';

/** Cancels withdrawals for their owners. */
export class CancelWithdrawalHandler {
  constructor(
    private readonly decisions: WithdrawalDecisions,
    private readonly requests: FundingRequests,
    private readonly clock: Clock,
  ) {}

  /** Returns the cancelled withdrawal. Errors: those of the contract `cancelWithdrawal`. */
  async handle({ userId, fundingId: id }: CancelWithdrawal): Promise<FundingItem> {
    this.requests.refuseUnlessEndable();
    const command = { type: 'cancel', byUserId: userId, atUs: this.clock.nowUs() } as const;
    const decided = await orUnknownOutcome(this.decisions.decide(id, command));
    if (decided === 'none' || decided === 'not-owner') throw unknownFunding();
    if (decided === 'too-late') {
      throw refusedNow('The withdrawal can no longer be cancelled: the payout was sent, or it has ended.');
    }
    return this.requests.respond({ kind: 'withdrawal', id }, (facts) => facts.userId === userId, Infinity);
  }
}
