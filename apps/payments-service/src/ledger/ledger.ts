import { ResultCache, type ChangeTracker } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { PaymentsPage } from '@settle/contracts';
import { ActOnPaymentHandler } from '../commands/act-on-payment.handler.js';
import { CreatePaymentHandler } from '../commands/create-payment.handler.js';
import { Deposits } from '../commands/deposits.js';
import { IdempotentCommands } from '../commands/idempotency/idempotent-commands.js';
import { KeyRows } from '../commands/idempotency/key-rows.js';
import { Worker } from '../jobs/worker.js';
import { ProjectionWaiter } from '../projection/projection-waiter.js';
import { Projector } from '../projection/projector.js';
import { PaymentLists } from '../read-models/payments/payment-lists.js';
import { PaymentViews } from '../read-models/payments/payment-views.js';
import { BALANCE_BYTES, PaymentsQuery } from '../read-models/payments/payments-query.js';
import { ENVIRONMENT_STORAGE } from '../storage/environments.js';
import { createFunding, createProvided } from './create-funding.js';
import type { LedgerOptions } from './ledger-options.js';
import { ProjectedLog } from '../user-limits/projected-log.js';
import { PaymentHistoryReader } from '../transfer/payment-history.js';
import { TransferCoordinator } from '../transfer/transfer-coordinator.js';
import { emptyWallet } from '../transfer/transfer-progress.js';
import { TransferRunner } from '../transfer/transfer-runner.js';
import { WalletCache } from '../transfer/wallet-cache.js';
import { WalletOwnership } from '../transfer/wallet-ownership.js';
import { StoredActivities } from '../user-limits/stored-activity.js';
import { UserLimits } from '../user-limits/user-limits.js';

const { pagesKept, pageBytesKept, balancesKept } = LIMITS.payments;
const PAGES_KEPT = { results: pagesKept, bytes: pageBytesKept };
const BALANCES_KEPT = { results: balancesKept, bytes: balancesKept * BALANCE_BYTES };

/** Everything that moves and shows the money of one environment. */
export type Ledger = ReturnType<typeof createLedger>;

/** Wires the ledger of one environment. Nothing runs before its `start`. */
export function createLedger(options: LedgerOptions) {
  const { environment, bus, settings, store, users, pool, logger, clock, isOnlyInstance } = options;
  const { waitSlots, changes, texts } = options;
  const { openingCents } = ENVIRONMENT_STORAGE[environment];
  const empty = emptyWallet(openingCents);
  const projector = createProjector(options);
  const projectionWaiter = new ProjectionWaiter(projector, isOnlyInstance, logger);
  const awaitProjection = projectionWaiter.awaitProjection.bind(projectionWaiter);
  const views = new PaymentViews(users, texts);
  const { balances, pages } = createCaches(changes);
  const payments = new PaymentsQuery(pool, openingCents, balances);
  const lists = new PaymentLists({ payments, views, users, pages });
  const keys = new KeyRows(pool);
  const idempotency = new IdempotentCommands(keys, clock, logger);
  const histories = new PaymentHistoryReader(store, pool, empty);
  const log = new ProjectedLog({ store, pool, reached: (position) => projectionWaiter.reached(position) });
  const provided = createProvided(options, log);
  const wallets = new WalletCache(store, { remembersSteps: !isOnlyInstance, emptyWallet: empty });
  const ownership = new WalletOwnership(bus, environment);
  const owns = (walletId: string) => ownership.owns(walletId);
  const sourceIdOf = async (userId: string) => (await users.findUser(userId))?.fundingSourceId ?? null;
  const loading = { histories, wallets, owns, sourceIdOf, usesProvider: provided !== null, clock };
  const { takeSourceTurn, gate } = provided ?? { takeSourceTurn: null, gate: null };
  const runner = new TransferRunner({
    ...{ ...loading, store, funding: options.funding, takeSourceTurn, gate },
    beforeResponse: projectionWaiter.beforeResponse.bind(projectionWaiter),
  });
  const transfers = new TransferCoordinator(runner, ownership, waitSlots, awaitProjection);
  const dependencies = { transfers, ownership, wallets, histories, emptyWallet: empty, payments, awaitProjection };
  const ofFunding = createFunding(options, provided, dependencies);
  const { funding, fundingUnits, fundingWorker, changeReaders, noticeSender } = ofFunding;
  const userLimits = createUserLimits(options, log);
  ownership.onReassigned((isReassigned) => {
    wallets.evictReassigned(isReassigned);
    log.forget();
    userLimits?.forget(isReassigned);
  });
  const commands = { idempotency, users, userLimits, transfers, funding, histories, views, projectionWaiter, clock };
  const { expiryDays } = settings.payments;
  const deposits = new Deposits(store, wallets);
  const working = { pool, keys, users, views, runner, funding, ownership, awaitProjection, clock, logger };
  const worker = new Worker({ ...working, expiryDays });
  return {
    createPayment: new CreatePaymentHandler({ ...commands, texts, payments, fee: settings.payments }),
    actOnPayment: new ActOnPaymentHandler(commands),
    worker,
    /** Responses before the last stop may have been ahead of the read models. Errors: the store's and the database's. */
    start: async () => {
      await projector.start();
      if (isOnlyInstance) await log.isShown();
      worker.start();
      fundingWorker?.start();
      changeReaders?.start();
      noticeSender?.start();
    },
    stop: async () => {
      await Promise.all([worker.stop(), noticeSender?.stop()]);
      await changeReaders?.stop();
      await fundingWorker?.stop();
      await fundingUnits?.requests.stop();
      await funding?.stop();
      await projector.stop();
    },
    ...commands,
    ...ofFunding,
    ...{ waitSlots, runner, ownership },
    ...{ deposits, payments, lists, projector, projectionWaiter },
  };
}

function createProjector({ environment, projectionPool: pool, changes, ...options }: LedgerOptions): Projector {
  const { store, texts, clock, logger, isOnlyInstance } = options;
  const { progressChannel } = ENVIRONMENT_STORAGE[environment];
  const parts = { store, texts, pool, clock, logger, isOnlyInstance, progressChannel };
  return new Projector({ ...parts, changes: changes ?? undefined });
}

/** Nulls: every response is read. */
function createCaches(changes: ChangeTracker | null) {
  if (changes === null) return { balances: null, pages: null };
  return {
    balances: new ResultCache<number>(changes, BALANCES_KEPT),
    pages: new ResultCache<PaymentsPage>(changes, PAGES_KEPT),
  };
}

/** Null: users have no limits. */
function createUserLimits({ settings, pool, clock }: LedgerOptions, log: ProjectedLog): UserLimits | null {
  const { userLimits: limits, payments } = settings;
  if (limits === null) return null;
  const stored = new StoredActivities(pool, limits, payments.expiryDays);
  return new UserLimits({ limits, stored, log, clock });
}
