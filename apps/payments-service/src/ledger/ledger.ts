import type { Semaphore } from '@settle/concurrency';
import type { Settings } from '@settle/config';
import type { Environment } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import type { MessageBus } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import { ActOnPaymentHandler } from '../commands/act-on-payment.handler.js';
import { AddTestFundsHandler } from '../commands/add-test-funds.handler.js';
import { CreatePaymentHandler } from '../commands/create-payment.handler.js';
import { Deposits } from '../commands/deposits.js';
import { IdempotentCommands } from '../commands/idempotency/idempotent-commands.js';
import { KeyRows } from '../commands/idempotency/key-rows.js';
import { Worker } from '../jobs/worker.js';
import { ProjectionWaiter } from '../projection/projection-waiter.js';
import { Projector } from '../projection/projector.js';
import { PaymentViews } from '../read-models/payments/payment-views.js';
import { PaymentsQuery } from '../read-models/payments/payments-query.js';
import type { Clock } from '../storage/clock.js';
import { ENVIRONMENT_STORAGE } from '../storage/environments.js';
import type { LedgerPools } from '../storage/open-pools.js';
import type { FundingSources } from '../transfer/funding.js';
import type { ReadableProvider } from '../funding/change-attempts.js';
import { Contradictions } from '../funding/contradictions.js';
import { createChangeReaders } from '../funding/create-change-readers.js';
import type { FundingGate } from '../provider/funding-gate.js';
import type { FundingProvider } from '../transfer/provider-calls.js';
import type { FundingAdmission } from '../transfer/refuse-funding.js';
import { createFundingUnits } from '../funding/create-funding-units.js';
import { PaymentFunding, type PaymentFundingParts } from '../transfer/payment-funding.js';
import { PaymentHistoryReader } from '../transfer/payment-history.js';
import { TransferCoordinator } from '../transfer/transfer-coordinator.js';
import { emptyWallet, type WalletTail } from '../transfer/transfer-progress.js';
import { TransferRunner } from '../transfer/transfer-runner.js';
import { WalletCache } from '../transfer/wallet-cache.js';
import { WalletOwnership } from '../transfer/wallet-ownership.js';
import { StoredActivities } from '../user-limits/stored-activity.js';
import { UserLimits } from '../user-limits/user-limits.js';
import type { UserReplica } from '../user-replica/user-replica.js';

/** The provider of funding sources, and how long payments wait for it. */
export interface ProviderOptions extends Pick<PaymentFundingParts, 'waitMs' | 'pendingUs'> {
  readonly provider: FundingProvider & ReadableProvider;
  readonly gate: FundingAdmission & Pick<FundingGate, 'whenChecked'>;
}

export interface LedgerOptions extends LedgerPools {
  readonly environment: Environment;
  readonly bus: MessageBus;
  /** Shared by all environments. */
  readonly waitSlots: Semaphore;
  readonly settings: Settings;
  /** Streams of this environment; the pools see its tables alone. */
  readonly store: EventStore;
  readonly users: UserReplica;
  /** Called where no provider is set. */
  readonly funding: FundingSources;
  /** Null: no provider is set. */
  readonly provider: ProviderOptions | null;
  readonly logger: Logger;
  readonly clock: Clock;
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
}

/** Everything that moves and shows the money of one environment. */
export type Ledger = ReturnType<typeof createLedger>;

/** Wires the ledger of one environment. Nothing runs before its `start`. */
export function createLedger(options: LedgerOptions) {
  const { environment, bus, settings, store, users, pool, projectionPool, logger, clock, isOnlyInstance } = options;
  const { waitSlots, provider } = options;
  const { openingCents, progressChannel } = ENVIRONMENT_STORAGE[environment];
  const empty = emptyWallet(openingCents);
  const projector = new Projector({ store, pool: projectionPool, clock, logger, isOnlyInstance, progressChannel });
  const projectionWaiter = new ProjectionWaiter(projector, logger);
  const awaitProjection = projectionWaiter.awaitProjection.bind(projectionWaiter);
  const views = new PaymentViews(users);
  const payments = new PaymentsQuery(pool, openingCents);
  const keys = new KeyRows(pool);
  const idempotency = new IdempotentCommands(keys, clock, logger);
  const histories = new PaymentHistoryReader(store, pool, empty);
  const wallets = new WalletCache(store, { remembersSteps: !isOnlyInstance, emptyWallet: empty });
  const ownership = new WalletOwnership(bus, environment);
  const owns = (walletId: string) => ownership.owns(walletId);
  const sourceIdOf = async (userId: string) => (await users.findUser(userId))?.fundingSourceId ?? null;
  const loading = { histories, wallets, owns, sourceIdOf, usesProvider: provider !== null, clock };
  const gate = provider?.gate ?? null;
  const runner = new TransferRunner({ ...loading, store, funding: options.funding, gate, awaitProjection });
  const transfers = new TransferCoordinator(runner, ownership, waitSlots, awaitProjection);
  const ofFunding = { transfers, ownership, wallets, histories, emptyWallet: empty };
  const { funding, fundingUnits, changeReaders } = createFunding(options, ofFunding);
  const userLimits = createUserLimits(options, projector);
  ownership.onReassigned((isReassigned) => {
    wallets.evictReassigned(isReassigned);
    userLimits?.forget(isReassigned);
  });
  const commands = { idempotency, users, userLimits, transfers, funding, histories, views, awaitProjection, clock };
  const { expiryDays } = settings.payments;
  const deposits = new Deposits(store, wallets);
  const addTestFunds = new AddTestFundsHandler(deposits, payments, projectionWaiter, clock);
  const worker = new Worker({ pool, keys, users, views, runner, funding, ownership, clock, logger, expiryDays });
  return {
    createPayment: new CreatePaymentHandler({ ...commands, payments, fee: settings.payments }),
    actOnPayment: new ActOnPaymentHandler(commands),
    /** Null without the development tools. */
    addTestFunds: settings.devTools && environment === 'live' ? addTestFunds : null,
    worker,
    /** Errors: the store's and the database's. */
    start: async () => {
      await projector.start();
      worker.start();
      fundingUnits?.worker.start();
      changeReaders?.start();
    },
    stop: async () => {
      await worker.stop();
      await changeReaders?.stop();
      await fundingUnits?.worker.stop();
      await funding?.stop();
      await projector.stop();
    },
    ...commands,
    ...{ fundingUnits, changeReaders, waitSlots, runner, ownership, deposits, payments, projector, projectionWaiter },
  };
}

interface FundingDependencies {
  readonly transfers: TransferCoordinator;
  readonly ownership: WalletOwnership;
  readonly wallets: WalletCache;
  readonly histories: PaymentHistoryReader;
  readonly emptyWallet: WalletTail;
}

const NO_FUNDING = { funding: null, fundingUnits: null, changeReaders: null };

/** Wires what the provider is needed for. */
function createFunding(options: LedgerOptions, dependencies: FundingDependencies) {
  const { provider, store, pool, projectionPool, users, clock, logger, isOnlyInstance } = options;
  if (provider === null) return NO_FUNDING;
  const { transfers, ownership, wallets, histories, emptyWallet } = dependencies;
  const contradictions = new Contradictions({ store, clock, logger });
  const recordContradiction = contradictions.record.bind(contradictions);
  const common = { store, pool, wallets, ownership, clock, logger };
  const funding = new PaymentFunding({ ...provider, ...common, transfers, recordContradiction });
  const owns = (userId: string) => ownership.owns(userId);
  const fundingUnits = createFundingUnits({ ...provider, ...common, emptyWallet, users, owns, funding });
  const changeReaders = createChangeReaders({
    ...{ ...common, provider: provider.provider, projectionPool, funding, isOnlyInstance },
    ...{ paymentHistories: histories, units: fundingUnits, whenChecked: provider.gate.whenChecked },
    // Sources are not stored yet: nothing follows from their changes.
    followSource: () => Promise.resolve(true),
  });
  return { funding, fundingUnits, changeReaders };
}

/** Null: users have no limits. */
function createUserLimits({ settings, pool, store, clock }: LedgerOptions, projector: Projector): UserLimits | null {
  const { userLimits: limits, payments } = settings;
  if (limits === null) return null;
  const stored = new StoredActivities(pool, limits, payments.expiryDays);
  const reached = (position: number) => projector.waitForPosition(position);
  return new UserLimits({ limits, stored, store, pool, clock, reached });
}
