import { SettleError, formatDollars, type FundingItem, type RequestWithdrawal } from '@settle/contracts';
import { withdrawableCents, withdrawalBlock } from '@settle/payments-domain';
import type { SourceMoney } from '../read-models/funding/source-money.js';
import type { PaymentsQuery } from '../read-models/payments/payments-query.js';
import type { Clock } from '../storage/clock.js';
import { orUnavailable } from '../storage/database-unavailable.js';
import type { SourceTurns } from '../user-limits/source-turns.js';
import { DAY_US, dayBeforeUs } from '../user-limits/user-activity.js';
import { formatUntil, refusedNow } from './funding-errors.js';
import type { FundingRequests } from './funding-requests.js';
import type { FundingUsers } from './funding-users.js';
import type { StoredSource, StoredSources } from './stored-sources.js';

/** The limits of withdrawals, as the operator has set them. */
export interface WithdrawalLimits {
  readonly perDayCents: number;
  /** From this amount on a withdrawal waits for an operator. */
  readonly reviewCents: number;
  /** How long money from a source cannot be withdrawn. */
  readonly holdUs: number;
}

export interface RequestWithdrawalDependencies {
  readonly requests: FundingRequests;
  readonly users: FundingUsers;
  readonly sources: StoredSources;
  readonly money: SourceMoney;
  readonly payments: PaymentsQuery;
  readonly turns: SourceTurns;
  readonly limits: WithdrawalLimits;
  readonly clock: Clock;
}

/** Pays money of users' wallets out to their sources. */
export class RequestWithdrawalHandler {
  constructor(private readonly dependencies: RequestWithdrawalDependencies) {}

  /** Returns the withdrawal, or the one of the same command before. Errors: those of the contract `requestWithdrawal`. */
  async handle(command: RequestWithdrawal): Promise<FundingItem> {
    const { requests, turns, users } = this.dependencies;
    const { fundingId: id, userId, amountCents, beginBeforeMs } = command;
    if (!(await requests.exists({ kind: 'withdrawal', id }))) {
      await users.findActive(userId);
      await turns.take(userId, async () => ({ position: await this.#begin(command) }));
    }
    return requests.respond(
      { kind: 'withdrawal', id },
      (facts) => facts.userId === userId && facts.amountCents === amountCents,
      beginBeforeMs,
    );
  }

  /** In the user's turn. Returns the log position of what was stored; null if the same command was stored before. */
  async #begin(command: RequestWithdrawal): Promise<number | null> {
    const { clock, users, requests, limits } = this.dependencies;
    const { fundingId: id, userId, amountCents, beginBeforeMs } = command;
    // The same command may have come in twice at once.
    if (await requests.exists({ kind: 'withdrawal', id })) return null;
    const atUs = clock.nowUs();
    const source = await this.#payoutSource(userId);
    await this.#refuseBlocked(command, source, atUs);
    await this.#refuseUncovered(command, atUs);
    users.refuseUnlessOwned(userId);
    const facts = { userId, amountCents, sourceId: source.key, booking: null, atUs };
    const data = { ...facts, needsReview: amountCents >= limits.reviewCents };
    return requests.store({ kind: 'withdrawal', id, event: { type: 'WithdrawalRequested', data } }, beginBeforeMs);
  }

  async #payoutSource(userId: string): Promise<StoredSource> {
    const source = await orUnavailable(this.dependencies.sources.findForPayouts(userId));
    if (source?.state === 'active' && source.canPayout && source.isOwnerMatch) return source;
    throw refusedNow('Choose a card or bank account in your own name to which withdrawals go.');
  }

  async #refuseBlocked(
    { userId, amountCents, notBeforeUs }: RequestWithdrawal,
    { forPayoutsSinceUs }: StoredSource,
    atUs: number,
  ): Promise<void> {
    const { money, limits } = this.dependencies;
    const withdrawnCents = await orUnavailable(money.readWithdrawnCents(userId, dayBeforeUs(atUs)));
    const source = { payoutSourceSinceUs: forPayoutsSinceUs ?? atUs, newSourceWaitUs: DAY_US };
    const { perDayCents } = limits;
    const block = withdrawalBlock({ amountCents, withdrawnCents, perDayCents, notBeforeUs, ...source }, atUs);
    switch (block?.kind) {
      case undefined:
        return;
      case 'wait':
        throw refusedNow(
          `You have changed your password or e-mail address. You can withdraw from ${formatUntil(block.untilUs)} on.`,
        );
      case 'new source':
        throw refusedNow(
          `Withdrawals go to this card or bank account only since recently. You can withdraw from ${formatUntil(block.untilUs)} on.`,
        );
      case 'amount': {
        const [most, used] = [formatDollars(perDayCents), formatDollars(withdrawnCents)];
        throw refusedNow(
          `At most ${most} can be withdrawn within 24 hours, and ${used} of it is used. Withdraw less, or try it again tomorrow.`,
        );
      }
    }
  }

  /** For a clear answer: the wallet decides when the money leaves it, at the revision that counts. */
  async #refuseUncovered({ userId, amountCents }: RequestWithdrawal, atUs: number): Promise<void> {
    const { money, payments, limits } = this.dependencies;
    const balanceCents = await orUnavailable(payments.readBalanceCents(userId));
    const heldCents = await orUnavailable(money.readHeldCents(userId, atUs - limits.holdUs));
    const mostCents = withdrawableCents(balanceCents, heldCents);
    if (amountCents <= mostCents) return;
    throw new SettleError('insufficient_funds', `You can withdraw ${formatDollars(mostCents)} now.`);
  }
}
