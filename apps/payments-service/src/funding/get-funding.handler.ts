import { LIMITS } from '@settle/config';
import type { FundingOverview, GetFunding } from '@settle/contracts';
import { withdrawableCents } from '@settle/payments-domain';
import type { FundingQuery } from '../read-models/funding/funding-query.js';
import type { SourceMoney } from '../read-models/funding/source-money.js';
import type { PaymentsQuery } from '../read-models/payments/payments-query.js';
import type { Clock } from '../storage/clock.js';
import { sourceViewOf, type StoredSources } from './stored-sources.js';

const { sourcesShown } = LIMITS.payments;

export interface GetFundingDependencies {
  readonly payments: PaymentsQuery;
  readonly query: FundingQuery;
  readonly money: SourceMoney;
  readonly sources: StoredSources;
  /** How long money from a source cannot be withdrawn. */
  readonly holdUs: number;
  /** Whether the provider moves real money. */
  readonly isLive: () => boolean;
  readonly clock: Clock;
}

/** Shows users their money from and to the outside. */
export class GetFundingHandler {
  constructor(private readonly dependencies: GetFundingDependencies) {}

  /** Errors: the database's. */
  async handle({ userId, beforeUs, limit }: GetFunding): Promise<FundingOverview> {
    const { payments, query, money, sources, holdUs, isLive, clock } = this.dependencies;
    const nowUs = clock.nowUs();
    const [balanceCents, heldCents, stored, items] = await Promise.all([
      payments.readBalanceCents(userId),
      money.readHeldCents(userId, nowUs - holdUs),
      sources.list(userId, sourcesShown),
      query.readItems(userId, { beforeUs, limit, nowUs }),
    ]);
    return {
      ...{ isAvailable: true, isLive: isLive(), balanceCents },
      withdrawableCents: withdrawableCents(balanceCents, heldCents),
      sources: stored.map(sourceViewOf),
      ...items,
    };
  }
}
