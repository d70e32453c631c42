import { LIMITS, type Settings } from '@settle/config';
import type { EventStore } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import type { SourceLimits } from '@settle/payments-domain';
import type { Pool } from 'pg';
import { FundingQuery } from '../read-models/funding/funding-query.js';
import { SourceMoney } from '../read-models/funding/source-money.js';
import type { PaymentsQuery } from '../read-models/payments/payments-query.js';
import type { Clock } from '../storage/clock.js';
import type { FundingProvider } from '../transfer/provider-calls.js';
import type { FundingAdmission } from '../transfer/refuse-funding.js';
import type { WalletTail } from '../transfer/transfer-progress.js';
import type { WalletCache } from '../transfer/wallet-cache.js';
import type { SourceTurns } from '../user-limits/source-turns.js';
import type { UserReplica } from '../user-replica/user-replica.js';
import { BeginSourceHandler } from './begin-source.handler.js';
import { CancelWithdrawalHandler } from './cancel-withdrawal.handler.js';
import type { Contradictions } from './contradictions.js';
import { EndSourceHandler } from './end-source.handler.js';
import { FundingHistoryReader } from './funding-history.js';
import { FundingRequests } from './funding-requests.js';
import { FundingRunner } from './funding-runner.js';
import { FundingUsers } from './funding-users.js';
import { FundingWorker } from './funding-worker.js';
import { GetFundingHandler } from './get-funding.handler.js';
import { KeepSourceHandler } from './keep-source.handler.js';
import { RequestDepositHandler } from './request-deposit.handler.js';
import { RequestWithdrawalHandler } from './request-withdrawal.handler.js';
import { SourceChanges, type SourceProvider } from './source-changes.js';
import { StoredSources } from './stored-sources.js';
import { WithdrawalDecisions } from './withdrawal-decisions.js';

const US_PER_MS = 1_000;

export interface FundingWorkOptions {
  readonly provider: FundingProvider;
  /** Whether what concerns the provider may end now. */
  readonly mayEnd: () => boolean;
  /** How long a charge may stay pending before the provider is asked to cancel it. */
  readonly pendingUs: number;
  readonly settings: Settings['funding'];
  readonly store: EventStore;
  readonly pool: Pool;
  readonly emptyWallet: WalletTail;
  readonly wallets: WalletCache;
  readonly users: UserReplica;
  /** Whether this instance owns the user's wallet. */
  readonly owns: (userId: string) => boolean;
  /** Takes in the answer to a payment's charge, so that its reversal can follow. */
  readonly advanceCharge: (paymentId: string, walletId: string) => Promise<void>;
  readonly contradictions: Contradictions;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface FundingUnitsOptions extends FundingWorkOptions {
  readonly sourceProvider: SourceProvider;
  readonly gate: FundingAdmission;
  /** How long a command waits for the provider. */
  readonly waitMs: number;
  readonly payments: PaymentsQuery;
  readonly turns: SourceTurns;
  readonly awaitProjection: (position: number) => Promise<unknown>;
}

/** Returns the limits of the charges of a user's source. */
export function sourceLimitsOf({ sourcePerDayCents }: Settings['funding']): SourceLimits {
  return { perDayCents: sourcePerDayCents, declinesPerDay: LIMITS.payments.declinedChargesPerDay };
}

/** Wires what moves money of deposits, withdrawals and reversals. Nothing runs before the worker's `start`. */
export function createFundingWork(options: FundingWorkOptions) {
  const { provider, mayEnd, pendingUs, settings, store, pool, wallets, users, owns, advanceCharge, clock, logger } =
    options;
  const { contradictions } = options;
  const holdUs = settings.withdrawalHoldMs * US_PER_MS;
  const histories = new FundingHistoryReader(store, pool, options.emptyWallet, () => clock.nowUs() - holdUs);
  const runner = new FundingRunner({
    ...{ store, histories, wallets, provider, mayEnd, clock, pendingUs, advanceCharge },
    isFrozen: async (userId) => (await users.findUser(userId))?.isFrozen ?? false,
    recordContradiction: (key, contradiction) => contradictions.record(key, contradiction),
  });
  const worker = new FundingWorker({ pool, runner, owns, clock, logger });
  return { runner, histories, contradictions, worker, holdUs };
}

/** Wires what moves money of deposits, withdrawals and reversals, and what users request of it. */
export function createFundingUnits(options: FundingUnitsOptions) {
  const { waitMs, store, pool, clock, logger, awaitProjection, gate } = options;
  const { holdUs, ...work } = createFundingWork(options);
  const { runner, histories } = work;
  const query = new FundingQuery(pool);
  const requests = new FundingRequests({ runner, histories, query, awaitProjection, clock, logger, waitMs, gate });
  const decisions = new WithdrawalDecisions(store, histories, runner);
  const handlers = createHandlers(options, { requests, query, decisions, holdUs });
  return { ...work, requests, decisions, ...handlers };
}

interface HandlerParts {
  readonly requests: FundingRequests;
  readonly query: FundingQuery;
  readonly decisions: WithdrawalDecisions;
  readonly holdUs: number;
}

function createHandlers(options: FundingUnitsOptions, parts: HandlerParts) {
  const { sourceProvider, gate, settings, pool, payments, turns, contradictions, clock } = options;
  const { requests, query, decisions, holdUs } = parts;
  const sources = new StoredSources(pool);
  const sourceChanges = new SourceChanges(sourceProvider, sources);
  const money = new SourceMoney(pool);
  const users = new FundingUsers(options.users, options.owns);
  const common = { requests, users, sources, contradictions, money, turns, clock };
  const { withdrawPerDayCents: perDayCents, withdrawReviewCents: reviewCents } = settings;
  return {
    sourceChanges,
    beginSource: new BeginSourceHandler(sourceProvider, sources, sourceChanges, clock),
    keepSource: new KeepSourceHandler(sourceProvider, sources, sourceChanges, clock),
    endSource: new EndSourceHandler(sourceProvider, sources, options.users),
    getFunding: new GetFundingHandler({ payments, query, money, sources, holdUs, isLive: gate.isLive, clock }),
    requestDeposit: new RequestDepositHandler({ ...common, limits: sourceLimitsOf(settings) }),
    requestWithdrawal: new RequestWithdrawalHandler({
      ...common,
      payments,
      limits: { perDayCents, reviewCents, holdUs },
    }),
    cancelWithdrawal: new CancelWithdrawalHandler(decisions, requests, clock),
  };
}
