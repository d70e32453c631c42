import { LIMITS, type Settings } from '@settle/config';
import type { Environment } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import type { MessageBus } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import type { Clock } from './clock.js';
import { Deposits } from './commands/deposits.js';
import { LEDGER_PLACES } from './environments.js';
import { KeyRows } from './idempotency/key-rows.js';
import { KeyedCommands } from './idempotency/keyed-commands.js';
import type { KnownPeople } from './people/known-people.js';
import { PaymentViews } from './projections/payments/payment-views.js';
import { PaymentsQuery } from './projections/payments/payments-query.js';
import { Projector } from './projections/projector.js';
import { unopenedWallet } from './transfer/transfer-draft.js';
import { Errands } from './transfer/errands.js';
import type { FundingSources } from './transfer/funding-sources.js';
import { TransferHistories } from './transfer/transfer-histories.js';
import { TransferReading } from './transfer/transfer-reading.js';
import { TransferSteps, type UntilShown } from './transfer/transfer-steps.js';
import { Transfers } from './transfer/transfers.js';
import { WalletOwners, type WaitingPlaces } from './transfer/wallet-owners.js';
import { Wallets } from './transfer/wallets.js';
import { StoredActivities } from './user-limits/stored-activity.js';
import { UserLimits } from './user-limits/user-limits.js';
import { Worker } from './worker/worker.js';

const { lateLineEveryMs } = LIMITS.payments;

export interface LedgerPools {
  readonly pool: Pool;
  /** The projections' own connections: they must not wait behind queries. */
  readonly projectionPool: Pool;
}

export interface LedgerParts extends LedgerPools {
  readonly environment: Environment;
  readonly bus: MessageBus;
  /** Of this environment's payments and of all others'. */
  readonly places: WaitingPlaces;
  readonly settings: Settings;
  /** Of this environment's streams, as are the pools of its tables. */
  readonly store: EventStore;
  readonly people: KnownPeople;
  readonly sources: FundingSources;
  readonly logger: Logger;
  readonly clock: Clock;
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
}

/** The parts that move and show the money of one environment, put together. */
export class Ledger {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly people: KnownPeople;
  readonly owners: WalletOwners;
  readonly views: PaymentViews;
  readonly payments: PaymentsQuery;
  readonly histories: TransferHistories;
  readonly transfers: Transfers;
  readonly deposits: Deposits;
  /** Null: users have no limits. */
  readonly userLimits: UserLimits | null;
  readonly keyed: KeyedCommands;
  readonly projector: Projector;
  readonly worker: Worker;
  /** Since the last line that tells of them. */
  #lateAnswers = 0;
  #lateLoggedAtMs = -Infinity;

  constructor(parts: LedgerParts) {
    const { environment, settings, store, people, pool, projectionPool, sources, logger, clock } = parts;
    const { bus, places, isOnlyInstance } = parts;
    const { openingCents, progressChannel } = LEDGER_PLACES[environment];
    this.settings = settings;
    this.logger = logger;
    this.clock = clock;
    this.people = people;
    this.views = new PaymentViews(people);
    this.payments = new PaymentsQuery(pool, openingCents);
    const unopened = unopenedWallet(openingCents);
    this.histories = new TransferHistories(store, pool, unopened);
    const wallets = new Wallets(store, { remembersSteps: !isOnlyInstance, unopened });
    const owners = new WalletOwners(bus, environment, places);
    this.owners = owners;
    owners.whenMoved((isMoved) => {
      wallets.forgetAll(isMoved);
      this.userLimits?.forget(isMoved);
    });
    const owns = (walletId: string) => owners.owns(walletId);
    const sourceIdOf = async (userId: string) => (await people.user(userId))?.fundingSourceId ?? null;
    const untilShown: UntilShown = (position, traceparent) => this.projector.reached(position, traceparent);
    const reading = new TransferReading({ histories: this.histories, wallets, owns, sourceIdOf, clock });
    const steps = new TransferSteps({
      store,
      wallets,
      owns,
      histories: this.histories,
      reading,
      errands: new Errands(sources),
      untilShown,
    });
    this.transfers = new Transfers(steps, owners, untilShown);
    this.deposits = new Deposits(store, wallets);
    this.userLimits = this.#userLimits(parts);
    const keys = new KeyRows(pool);
    this.keyed = new KeyedCommands({ rows: keys, clock, logger });
    this.projector = new Projector({ store, pool: projectionPool, clock, logger, isOnlyInstance, progressChannel });
    const { views, transfers } = this;
    const { expiryDays } = settings.payments;
    this.worker = new Worker({ pool, keys, people, views, transfers, owners, clock, logger, expiryDays });
  }

  #userLimits({ settings, pool, store, clock }: LedgerParts): UserLimits | null {
    const { userLimits: limits, payments } = settings;
    if (limits === null) return null;
    const stored = new StoredActivities({ pool, limits, expiryDays: payments.expiryDays });
    const reached = (position: number) => this.projector.reached(position);
    return new UserLimits({ limits, stored, store, pool, clock, reached });
  }

  /**
   * Whoever reads after the answer sees it; after 2 s it is sent anyway, the money being safe, and at once while the read
   * models have been behind for longer.
   * @param traceparent of the span that waits
   */
  async untilShown(position: number, traceparent?: string): Promise<void> {
    if (await this.projector.reached(position, traceparent)) return;
    this.#lateAnswers += 1;
    if (performance.now() - this.#lateLoggedAtMs < lateLineEveryMs) return;
    const { behindMs } = this.projector.progress();
    this.logger.warn({ position, behindMs, answers: this.#lateAnswers }, 'answered before the read models showed it');
    this.#lateLoggedAtMs = performance.now();
    this.#lateAnswers = 0;
  }

  async start(): Promise<void> {
    await this.projector.start();
    this.worker.start();
  }

  async stop(): Promise<void> {
    await this.worker.stop();
    await this.projector.stop();
  }
}
