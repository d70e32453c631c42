import type { EventStore } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import type { Clock } from '../storage/clock.js';
import type { PaymentFunding } from '../transfer/payment-funding.js';
import type { FundingProvider } from '../transfer/provider-calls.js';
import type { WalletTail } from '../transfer/transfer-progress.js';
import type { WalletCache } from '../transfer/wallet-cache.js';
import type { UserReplica } from '../user-replica/user-replica.js';
import { Contradictions } from './contradictions.js';
import { FundingHistoryReader } from './funding-history.js';
import { FundingRunner } from './funding-runner.js';
import { FundingWorker } from './funding-worker.js';

export interface FundingUnitsOptions {
  readonly provider: FundingProvider;
  /** How long a charge may stay pending before the provider is asked to cancel it. */
  readonly pendingUs: number;
  readonly store: EventStore;
  readonly pool: Pool;
  readonly emptyWallet: WalletTail;
  readonly wallets: WalletCache;
  readonly users: UserReplica;
  /** Whether this instance owns the user's wallet. */
  readonly owns: (userId: string) => boolean;
  readonly funding: PaymentFunding;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Wires what moves money of deposits, withdrawals and reversals. Nothing runs before the worker's `start`. */
export function createFundingUnits(options: FundingUnitsOptions) {
  const { provider, pendingUs, store, pool, emptyWallet, wallets, users, owns, funding, clock, logger } = options;
  const contradictions = new Contradictions({ store, clock, logger });
  const histories = new FundingHistoryReader(store, pool, emptyWallet);
  const runner = new FundingRunner({
    ...{ store, histories, wallets, provider, clock, pendingUs },
    isFrozen: async (userId) => (await users.findUser(userId))?.isFrozen ?? false,
    advanceCharge: (paymentId, walletId) => funding.followChange(paymentId, walletId),
    recordContradiction: (key, contradiction) => contradictions.record(key, contradiction),
  });
  return { runner, histories, contradictions, worker: new FundingWorker({ pool, runner, owns, clock, logger }) };
}
