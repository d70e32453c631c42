import type { Settings } from '@settle/config';
import type { EventStore } from '@settle/event-store';
import type { Logger } from '@settle/observability';
import type { Pool } from 'pg';
import { Clock } from './clock.js';
import { Deposits } from './commands/deposits.js';
import { KnownPeople } from './people/known-people.js';
import { PaymentViews } from './projections/payments/payment-views.js';
import { PaymentsQuery } from './projections/payments/payments-query.js';
import { Projector } from './projections/projector.js';
import { Errands } from './transfer/errands.js';
import type { FundingSources } from './transfer/funding-sources.js';
import { TransferHistories } from './transfer/transfer-histories.js';
import { Transfers } from './transfer/transfers.js';
import { Wallets } from './transfer/wallets.js';
import { Worker } from './worker/worker.js';

export interface LedgerParts {
  readonly settings: Settings;
  readonly store: EventStore;
  readonly pool: Pool;
  /** The projections' own connections: they must not wait behind queries. */
  readonly projectionPool: Pool;
  readonly sources: FundingSources;
  readonly logger: Logger;
  readonly clock: Clock;
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
}

/** The parts of the payments service, put together. Nest gives it to the controllers; specs build it themselves. */
export class Ledger {
  readonly settings: Settings;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly people: KnownPeople;
  readonly views: PaymentViews;
  readonly payments: PaymentsQuery;
  readonly histories: TransferHistories;
  readonly transfers: Transfers;
  readonly deposits: Deposits;
  readonly projector: Projector;
  readonly worker: Worker;

  constructor({ settings, store, pool, projectionPool, sources, logger, clock, isOnlyInstance }: LedgerParts) {
    this.settings = settings;
    this.logger = logger;
    this.clock = clock;
    this.people = new KnownPeople(pool);
    this.views = new PaymentViews(this.people);
    this.payments = new PaymentsQuery(pool);
    this.histories = new TransferHistories(store, pool);
    const wallets = new Wallets(store);
    this.transfers = new Transfers({
      store,
      wallets,
      histories: this.histories,
      errands: new Errands(sources),
      clock,
      untilShown: (position) => this.projector.reached(position),
      sourceIdOf: async (userId) => (await this.people.user(userId))?.fundingSourceId ?? null,
    });
    this.deposits = new Deposits(store, wallets);
    this.projector = new Projector({ store, pool: projectionPool, clock, logger, isOnlyInstance });
    const { people, views, transfers } = this;
    const { expiryDays } = settings.payments;
    this.worker = new Worker({ pool, people, views, transfers, clock, logger, expiryDays });
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
