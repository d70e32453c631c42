import { LIMITS } from '@settle/config';
import { notifyConfirmation, notifyFundingOutcome, type NotifyFundingOutcome } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { ConfirmationPages } from '../funding/confirmation-pages.js';
import { Contradictions } from '../funding/contradictions.js';
import { createChangeReaders } from '../funding/create-change-readers.js';
import { NoticeSender } from '../funding/notice-sender.js';
import { createFundingUnits, createFundingWork, sourceLimitsOf } from '../funding/create-funding-units.js';
import { SourceMoney } from '../read-models/funding/source-money.js';
import type { PaymentsQuery } from '../read-models/payments/payments-query.js';
import { PaymentFunding } from '../transfer/payment-funding.js';
import type { PaymentHistoryReader } from '../transfer/payment-history.js';
import type { FundingProvider } from '../transfer/provider-calls.js';
import type { TakeSourceTurn } from '../transfer/source-turn.js';
import type { TransferCoordinator } from '../transfer/transfer-coordinator.js';
import type { WalletTail } from '../transfer/transfer-progress.js';
import type { WalletCache } from '../transfer/wallet-cache.js';
import type { WalletOwnership } from '../transfer/wallet-ownership.js';
import type { ProjectedLog } from '../user-limits/projected-log.js';
import { SourceTurns } from '../user-limits/source-turns.js';
import type { LedgerOptions } from './ledger-options.js';

/** Wires the limits of sources, and the pages on which users confirm charges. Null: no provider is set. */
export function createProvided(
  { provider: options, bus, settings, pool, clock, logger }: LedgerOptions,
  log: ProjectedLog,
) {
  if (options === null) return null;
  const { provider: wholeProvider, ...rest } = options;
  const money = new SourceMoney(pool);
  const turns = new SourceTurns({ limits: sourceLimitsOf(settings.funding), money, log, clock });
  const takeSourceTurn: TakeSourceTurn = (userId, work) => turns.takeForCharge(userId, work);
  const client = new MessageClient(bus);
  const timeoutMs = LIMITS.provider.notifyWaitMs;
  const notify = (userId: string, chargeKey: string) =>
    client.request(notifyConfirmation, { userId, chargeKey }, { key: userId, timeoutMs });
  const notifyOutcome = (notice: NotifyFundingOutcome) =>
    client.request(notifyFundingOutcome, notice, { key: notice.userId, timeoutMs });
  const provider = new ConfirmationPages({ pool, notify, clock, logger }).recordedFrom(wholeProvider);
  return { ...rest, provider, wholeProvider, turns, takeSourceTurn, notifyOutcome };
}

interface FundingDependencies {
  readonly transfers: TransferCoordinator;
  readonly ownership: WalletOwnership;
  readonly wallets: WalletCache;
  readonly histories: PaymentHistoryReader;
  readonly emptyWallet: WalletTail;
  readonly payments: PaymentsQuery;
  readonly awaitProjection: (position: number) => Promise<unknown>;
}

/** Where no provider is set: money that it would have to move waits, and bookings by operators need none. */
const SILENT_PROVIDER: FundingProvider = {
  charge: () => Promise.resolve('unknown'),
  repay: () => Promise.resolve('unknown'),
  payout: () => Promise.resolve('unknown'),
};

const NO_PROVIDER = { funding: null, fundingUnits: null, changeReaders: null, noticeSender: null };

/** Wires what moves money from and to the outside. Nothing runs before the starts of its parts. */
export function createFunding(
  options: LedgerOptions,
  provided: ReturnType<typeof createProvided>,
  dependencies: FundingDependencies,
) {
  const { store, pool, projectionPool, users, settings, clock, logger, isOnlyInstance } = options;
  const { ownership, histories: paymentHistories } = dependencies;
  const contradictions = new Contradictions({ store, clock, logger });
  const common = { ...dependencies, store, pool, contradictions, clock, logger };
  const owns = (userId: string) => ownership.owns(userId);
  const ofUnits = { settings: settings.funding, users, owns };
  if (provided === null) {
    // The sandbox has no money from outside.
    if (options.environment === 'sandbox') return { ...NO_PROVIDER, fundingWorker: null };
    const silent = { provider: SILENT_PROVIDER, mayEnd: () => true };
    const waiting = { ...silent, pendingUs: Infinity, advanceCharge: () => Promise.resolve() };
    const { worker: fundingWorker } = createFundingWork({ ...common, ...ofUnits, ...waiting });
    return { ...NO_PROVIDER, fundingWorker };
  }
  const { wholeProvider, gate } = provided;
  const recordContradiction = contradictions.record.bind(contradictions);
  const funding = new PaymentFunding({ ...provided, ...common, recordContradiction });
  const fundingUnits = createFundingUnits({
    ...{ ...provided, ...common, ...ofUnits, sourceProvider: wholeProvider, mayEnd: gate.mayEnd },
    advanceCharge: (paymentId, walletId) => funding.followChange(paymentId, walletId),
  });
  const changeReaders = createChangeReaders({
    ...{ ...common, provider: wholeProvider, projectionPool, funding, isOnlyInstance, paymentHistories },
    ...{ units: fundingUnits, whenChecked: gate.whenChecked },
    followSource: (key) => fundingUnits.sourceChanges.followChange(key),
  });
  const noticeSender = new NoticeSender({ pool, notify: provided.notifyOutcome, owns, clock, logger });
  return { funding, fundingUnits, fundingWorker: fundingUnits.worker, changeReaders, noticeSender };
}
