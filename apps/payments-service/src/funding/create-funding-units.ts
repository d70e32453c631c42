import type { EventStore } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { ChangeCursor } from '../provider/change-cursor.js';
import type { FundingAdmission } from '../provider/funding-gate.js';
import { ProviderHints } from '../provider/provider-hints.js';
import type { Clock } from '../storage/clock.js';
import { PaymentFunding } from '../transfer/payment-funding.js';
import type { PaymentHistoryReader } from '../transfer/payment-history.js';
import type { FundingProvider } from '../transfer/provider-calls.js';
import type { TransferCoordinator } from '../transfer/transfer-coordinator.js';
import type { WalletTail } from '../transfer/transfer-progress.js';
import type { WalletCache } from '../transfer/wallet-cache.js';
import type { WalletOwnership } from '../transfer/wallet-ownership.js';
import type { UserReplica } from '../user-replica/user-replica.js';
import { ChangeAttempts, type ReadableProvider } from './change-attempts.js';
import { ChangeHandler } from './change-handler.js';
import { ChangesReader } from './changes-reader.js';
import { ChargeChanges } from './charge-changes.js';
import { ChargeReader } from './charge-reader.js';
import { Contradictions } from './contradictions.js';
import { FundingHistoryReader } from './funding-history.js';
import { FundingRunner } from './funding-runner.js';
import { FundingWorker } from './funding-worker.js';
import { HintReader } from './hint-reader.js';
import { OwnerAdvances } from './owner-advances.js';
import { PayoutChanges } from './payout-changes.js';
import { RepaymentChanges } from './repayment-changes.js';
import { ReversalChanges } from './reversal-changes.js';

/** The provider of funding sources, and how long payments wait for it. */
export interface ProviderOptions {
  readonly provider: FundingProvider & ReadableProvider;
  /** What may begin and end now. */
  readonly gate: FundingAdmission;
  /** How long a command waits for the provider. */
  readonly waitMs: number;
  /** How long a charge may stay pending before the provider is asked to cancel it. */
  readonly pendingUs: number;
}

export interface FundingUnitsOptions extends ProviderOptions {
  readonly store: EventStore;
  readonly pool: Pool;
  /** Pool of the lease. */
  readonly projectionPool: Pool;
  readonly emptyWallet: WalletTail;
  readonly wallets: WalletCache;
  readonly users: UserReplica;
  readonly ownership: WalletOwnership;
  readonly transfers: TransferCoordinator;
  /** Reads payments. */
  readonly payments: PaymentHistoryReader;
  /** Stores what a source of the provider has become; false if no user has it. */
  readonly followSource: (key: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
}

/** Wires everything that moves money with the provider. Nothing runs before `start`. */
export function createFundingUnits(options: FundingUnitsOptions) {
  const { provider, pendingUs, store, pool, emptyWallet, wallets, users, ownership, clock, logger } = options;
  const contradictions = new Contradictions({ store, clock, logger });
  const recordContradiction = contradictions.record.bind(contradictions);
  const payments = new PaymentFunding({ ...options, recordContradiction });
  const histories = new FundingHistoryReader(store, pool, emptyWallet);
  const runner = new FundingRunner({
    ...{ store, histories, wallets, provider, clock, pendingUs, recordContradiction },
    isFrozen: async (userId) => (await users.findUser(userId))?.isFrozen ?? false,
    advanceCharge: (paymentId, walletId) => payments.followChange(paymentId, walletId),
  });
  const owns = (userId: string) => ownership.owns(userId);
  const worker = new FundingWorker({ pool, runner, owns, clock, logger });
  const advances = new OwnerAdvances({ runner, payments, ownership });
  const handler = createChangeHandler(options, { contradictions, histories, advances });
  const cursor = new ChangeCursor(pool);
  const changes = new ChangesReader({ ...options, handler, cursor, pool: options.projectionPool });
  const hints = new HintReader({ hints: new ProviderHints(pool, clock), handler, logger });
  return {
    ...{ payments, runner, histories, contradictions, worker, changes, hints, gate: options.gate },
    start: () => {
      for (const part of [worker, changes, hints]) part.start();
    },
    /** Resolves after the work in progress. */
    stop: async () => {
      await Promise.all([worker, changes, hints].map((part) => part.stop()));
      await payments.stop();
    },
  };
}

interface HandlerParts {
  readonly contradictions: Contradictions;
  readonly histories: FundingHistoryReader;
  readonly advances: OwnerAdvances;
}

function createChangeHandler(options: FundingUnitsOptions, parts: HandlerParts): ChangeHandler {
  const { provider, store, wallets, clock, logger, followSource } = options;
  const charges = new ChargeReader(options.payments, parts.histories);
  const attempts = new ChangeAttempts({ provider, contradictions: parts.contradictions });
  const common = { ...parts, provider, store, wallets, clock, charges, attempts };
  const chargeChanges = new ChargeChanges(common);
  return new ChangeHandler({
    charge: chargeChanges,
    repayment: new RepaymentChanges({ ...common, chargeChanges }),
    payout: new PayoutChanges(common),
    reversal: new ReversalChanges({ ...common, chargeChanges }),
    ...{ followSource, contradictions: parts.contradictions, logger },
  });
}
