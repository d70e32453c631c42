import type { EventStore } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { ChangeCursor } from '../provider/change-cursor.js';
import { ProviderHints } from '../provider/provider-hints.js';
import type { Clock } from '../storage/clock.js';
import type { PaymentFunding } from '../transfer/payment-funding.js';
import type { PaymentHistoryReader } from '../transfer/payment-history.js';
import type { FundingProvider } from '../transfer/provider-calls.js';
import type { WalletCache } from '../transfer/wallet-cache.js';
import type { WalletOwnership } from '../transfer/wallet-ownership.js';
import { askAllSoon } from './ask-all-soon.js';
import { ChangeAttempts, type ReadableProvider } from './change-attempts.js';
import { ChangeHandler } from './change-handler.js';
import { ChangesReader } from './changes-reader.js';
import { ChargeChanges } from './charge-changes.js';
import { ChargeReader } from './charge-reader.js';
import type { Contradictions } from './contradictions.js';
import type { FundingHistoryReader } from './funding-history.js';
import type { FundingRunner } from './funding-runner.js';
import { HintReader } from './hint-reader.js';
import { OwnerAdvances } from './owner-advances.js';
import { PayoutChanges } from './payout-changes.js';
import { RepaymentChanges } from './repayment-changes.js';
import { ReversalChanges } from './reversal-changes.js';

export interface ChangeReadersOptions {
  readonly provider: FundingProvider & ReadableProvider;
  readonly store: EventStore;
  readonly pool: Pool;
  /** Pool of the lease. */
  readonly projectionPool: Pool;
  readonly wallets: WalletCache;
  readonly ownership: WalletOwnership;
  /** Advances payments. */
  readonly funding: PaymentFunding;
  readonly paymentHistories: PaymentHistoryReader;
  /** The parts for deposits, withdrawals and reversals. */
  readonly units: {
    readonly runner: FundingRunner;
    readonly histories: FundingHistoryReader;
    readonly contradictions: Contradictions;
  };
  /** Resolves once the provider may be used. */
  readonly whenChecked: Promise<void>;
  /** Reads a source from the provider and stores what it has become; false if the provider did not answer. */
  readonly followSource: (key: string) => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
}

/** Wires what reads the changes of the provider and stored callbacks. Nothing runs before `start`. */
export function createChangeReaders(options: ChangeReadersOptions) {
  const { pool, projectionPool, clock, logger } = options;
  const handler = createChangeHandler(options);
  const changes = new ChangesReader({
    ...{ ...options, handler, cursor: new ChangeCursor(pool), pool: projectionPool },
    askAllSoon: () => askAllSoon(pool, clock.nowUs()),
  });
  const hints = new HintReader({ hints: new ProviderHints(pool, clock), handler, logger });
  return {
    changes,
    hints,
    /** Does not wait for the provider: they run once it may be used. */
    start: () =>
      void options.whenChecked.then(() => {
        changes.start();
        hints.start();
      }),
    /** Resolves after the work in progress. */
    stop: () => Promise.all([changes.stop(), hints.stop()]),
  };
}

function createChangeHandler(options: ChangeReadersOptions): ChangeHandler {
  const { provider, store, wallets, ownership, clock, logger, followSource, funding: payments } = options;
  const { runner, histories, contradictions } = options.units;
  const charges = new ChargeReader(options.paymentHistories, histories);
  const attempts = new ChangeAttempts({ provider, contradictions });
  const advances = new OwnerAdvances({ runner, payments, ownership });
  const common = { provider, store, wallets, clock, charges, attempts, histories, contradictions, advances };
  const chargeChanges = new ChargeChanges(common);
  return new ChangeHandler({
    charge: chargeChanges,
    repayment: new RepaymentChanges({ ...common, chargeChanges }),
    payout: new PayoutChanges(common),
    reversal: new ReversalChanges({ ...common, chargeChanges }),
    ...{ followSource, attempts, contradictions, logger },
  });
}
