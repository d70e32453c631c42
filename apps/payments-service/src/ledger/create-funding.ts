import { ConfirmationPages } from '../funding/confirmation-pages.js';
import { Contradictions } from '../funding/contradictions.js';
import { createChangeReaders } from '../funding/create-change-readers.js';
import { createFundingUnits, sourceLimitsOf } from '../funding/create-funding-units.js';
import { SourceMoney } from '../read-models/funding/source-money.js';
import type { PaymentsQuery } from '../read-models/payments/payments-query.js';
import { PaymentFunding } from '../transfer/payment-funding.js';
import type { PaymentHistoryReader } from '../transfer/payment-history.js';
import type { TakeSourceTurn } from '../transfer/source-turn.js';
import type { TransferCoordinator } from '../transfer/transfer-coordinator.js';
import type { WalletTail } from '../transfer/transfer-progress.js';
import type { WalletCache } from '../transfer/wallet-cache.js';
import type { WalletOwnership } from '../transfer/wallet-ownership.js';
import type { ProjectedLog } from '../user-limits/projected-log.js';
import { SourceTurns } from '../user-limits/source-turns.js';
import type { LedgerOptions } from './ledger-options.js';

/** Wires the limits of sources, and the pages on which users confirm charges. Null: no provider is set. */
export function createProvided({ provider: options, settings, pool, clock, logger }: LedgerOptions, log: ProjectedLog) {
  if (options === null) return null;
  const { provider: wholeProvider, ...rest } = options;
  const money = new SourceMoney(pool);
  const turns = new SourceTurns({ limits: sourceLimitsOf(settings.funding), money, log, clock });
  const takeSourceTurn: TakeSourceTurn = (userId, work) => turns.takeForCharge(userId, work);
  const provider = new ConfirmationPages(pool, clock, logger).recordedFrom(wholeProvider);
  return { ...rest, provider, wholeProvider, turns, takeSourceTurn };
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

const NO_FUNDING = { funding: null, fundingUnits: null, changeReaders: null };

/** Wires what moves money from and to the outside. Nothing runs before the starts of its parts. */
export function createFunding(
  options: LedgerOptions,
  provided: ReturnType<typeof createProvided>,
  dependencies: FundingDependencies,
) {
  if (provided === null) return NO_FUNDING;
  const { store, pool, projectionPool, users, settings, clock, logger, isOnlyInstance } = options;
  const { ownership, histories: paymentHistories } = dependencies;
  const { wholeProvider, gate } = provided;
  const contradictions = new Contradictions({ store, clock, logger });
  const recordContradiction = contradictions.record.bind(contradictions);
  const common = { ...dependencies, store, pool, contradictions, clock, logger };
  const funding = new PaymentFunding({ ...provided, ...common, recordContradiction });
  const owns = (userId: string) => ownership.owns(userId);
  const ofUnits = { sourceProvider: wholeProvider, settings: settings.funding, users, owns, funding };
  const fundingUnits = createFundingUnits({ ...provided, ...common, ...ofUnits });
  const changeReaders = createChangeReaders({
    ...{ ...common, provider: wholeProvider, projectionPool, funding, isOnlyInstance, paymentHistories },
    ...{ units: fundingUnits, whenChecked: gate.whenChecked },
    followSource: (key) => fundingUnits.sourceChanges.followChange(key),
  });
  return { funding, fundingUnits, changeReaders };
}
