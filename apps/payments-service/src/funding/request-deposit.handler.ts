import { SettleError, formatDollars, type FundingItem, type RequestDeposit } from '@settle/contracts';
import { beginBeforeUsAt, exceededSourceLimit, type SourceLimits } from '@settle/payments-domain';
import type { SourceMoney, StoredSourceUse } from '../read-models/funding/source-money.js';
import type { Clock } from '../storage/clock.js';
import { orUnavailable } from '../storage/database-unavailable.js';
import type { SourceTurns } from '../user-limits/source-turns.js';
import { DAY_US, dayBeforeUs } from '../user-limits/user-activity.js';
import type { Contradictions } from './contradictions.js';
import { formatUntil, otherContent, refusedNow } from './funding-errors.js';
import type { FundingRequests } from './funding-requests.js';
import type { FundingUsers } from './funding-users.js';
import type { StoredSources } from './stored-sources.js';

export interface RequestDepositDependencies {
  readonly requests: FundingRequests;
  readonly users: FundingUsers;
  readonly sources: StoredSources;
  readonly contradictions: Contradictions;
  readonly money: SourceMoney;
  readonly turns: SourceTurns;
  readonly limits: SourceLimits;
  readonly clock: Clock;
}

/** Adds money from users' sources to their wallets. */
export class RequestDepositHandler {
  constructor(private readonly dependencies: RequestDepositDependencies) {}

  /** Returns the deposit, or the one of the same command before. Errors: those of the contract `requestDeposit`. */
  async handle(command: RequestDeposit): Promise<FundingItem> {
    const { requests, turns } = this.dependencies;
    const { fundingId: id, userId, sourceKey, amountCents, beginBeforeMs } = command;
    if (!(await requests.exists({ kind: 'deposit', id }))) {
      await this.#refuseUnusable(command);
      await turns.take(userId, async () => ({ position: await this.#begin(command) }));
    }
    return requests.respond(
      { kind: 'deposit', id },
      (facts) => facts.userId === userId && facts.sourceId === sourceKey && facts.amountCents === amountCents,
      beginBeforeMs,
    );
  }

  async #refuseUnusable({ userId, sourceKey }: RequestDeposit): Promise<void> {
    const { users, sources } = this.dependencies;
    const user = await users.findActive(userId);
    const source = await orUnavailable(sources.find(sourceKey));
    // A card from before there was a provider is known to the provider alone.
    const isUsable =
      source === null
        ? user.fundingSourceId === sourceKey
        : source.userId === userId && source.state === 'active' && source.canCharge;
    if (!isUsable)
      throw refusedNow('This card or bank account cannot be charged. Add it again, or choose a different one.');
  }

  /** In the user's turn. Returns the log position of what was stored; null if the same command was stored before. */
  async #begin({
    fundingId: id,
    userId,
    sourceKey,
    amountCents,
    beginBeforeMs,
  }: RequestDeposit): Promise<number | null> {
    const { money, clock, users, requests, contradictions } = this.dependencies;
    // The same command may have come in twice at once.
    if (await requests.exists({ kind: 'deposit', id })) return null;
    const atUs = clock.nowUs();
    this.#refuseAboveLimit(await orUnavailable(money.readUse(userId, dayBeforeUs(atUs))), amountCents, atUs);
    users.refuseUnlessOwned(userId);
    // The provider has a charge under this key from before a restore, which may have been given back.
    if ((await orUnavailable(contradictions.read(id))).status !== 'none') throw otherContent();
    const facts = { userId, amountCents, sourceId: sourceKey, booking: null };
    const data = { ...facts, beginBeforeUs: beginBeforeUsAt(atUs), atUs };
    return requests.store({ kind: 'deposit', id, event: { type: 'DepositRequested', data } }, beginBeforeMs);
  }

  #refuseAboveLimit(use: StoredSourceUse, amountCents: number, atUs: number): void {
    const { limits } = this.dependencies;
    const exceeded = exceededSourceLimit(use, amountCents, limits);
    if (exceeded === null) return;
    const until = formatUntil((use.oldestUs ?? atUs) + DAY_US);
    const again = `Some of it is free again at ${until}.`;
    if (exceeded === 'declines') {
      throw new SettleError(
        'not_permitted',
        `Your bank has declined, or not yet decided, ${use.declinedOrOpen} charges within 24 hours. ${again}`,
      );
    }
    const [most, used] = [formatDollars(limits.perDayCents), formatDollars(use.usedCents)];
    throw refusedNow(
      `At most ${most} can be taken from your card or bank account within 24 hours, and ${used} of it is used. ${again}`,
    );
  }
}
