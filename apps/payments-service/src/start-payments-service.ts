import 'reflect-metadata';
import type { Settings } from '@settle/config';
import { DEMO_USERS } from '@settle/contracts';
import { migrateEventLog, type EventStore } from '@settle/event-store';
import type { Checks } from '@settle/lifecycle';
import { BusServer, type MessageBus } from '@settle/messaging';
import { NestPinoLogger, type Logger, type Metrics } from '@settle/observability';
import { createDataSource, openDataSource } from '@settle/postgres';
import { NestFactory } from '@nestjs/core';
import type { Pool } from 'pg';
import { Clock } from './clock.js';
import { CreateSandbox1795350000000 } from './create-sandbox.migration.js';
import { CreateIdempotencyKeys1795320000000 } from './idempotency/create-idempotency-keys.migration.js';
import { IdempotencyKeyRow } from './idempotency/idempotency-key.entity.js';
import type { Ledger } from './ledger.js';
import { Ledgers } from './ledgers.js';
import { NameSandboxIndexes1795360000000 } from './name-sandbox-indexes.migration.js';
import { openEventStore } from './open-event-store.js';
import { dropLeftovers } from './operators/leftovers.js';
import { openPools } from './open-pools.js';
import { PaymentsModule } from './payments.module.js';
import { NamePeopleCopy1795310000000 } from './people/name-people-copy.migration.js';
import { KnownAddressRow, KnownPairRow, KnownUserRow } from './people/known-people.entity.js';
import { CheckpointRow } from './projections/checkpoint.entity.js';
import { CreateReadModels1795250000000 } from './projections/create-read-models.migration.js';
import { FenceProjections1795300000000 } from './projections/fence-projections.migration.js';
import { IndexLists1795340000000 } from './projections/index-lists.migration.js';
import { FeeEntryRow, LedgerEntryRow } from './projections/ledger-entries/ledger-entry.entity.js';
import { OpenWorkRow } from './projections/open-work/open-work.entity.js';
import { PaymentRow } from './projections/payments/payment.entity.js';
import { Publisher } from './publishing/publisher.js';
import type { PublicTopic } from './publishing/publishing-run.js';
import { showPayments } from './show-payments.js';
import { noSources, testCards } from './transfer/funding-sources.js';

export interface PaymentsServiceOptions {
  readonly settings: Settings;
  readonly bus: MessageBus;
  readonly logger: Logger;
  readonly databaseUrl: string;
  /** Embedded: this is the only process on the database. Distributed: there may be others like it. */
  readonly shape: 'embedded' | 'distributed';
  /** Where payment events are published; absent (embedded): nowhere, and once there is a topic, from the first one. */
  readonly publishTo?: PublicTopic;
  /** Absent: nothing is measured. */
  readonly metrics?: Metrics | undefined;
}

export interface PaymentsService {
  readonly checks: Checks;
  /** The group that follows the people for this database's copy. */
  readonly peopleGroup: string;
  /** False: its copy of the people is empty, and users-service must announce everybody. */
  readonly knowsPeople: boolean;
  /** Leaves the publishing to another instance, while the bus still takes what is in hand. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** Migrates, follows the ledger into the read models, answers commands and queries. Start it before users-service. */
export async function startPaymentsService(options: PaymentsServiceOptions): Promise<PaymentsService> {
  const { settings, bus, logger, databaseUrl, shape, publishTo, metrics } = options;
  const closers: (() => Promise<unknown>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) {
      await closer().catch((err: unknown) => logger.error({ err }, 'a part of the payments service did not close'));
    }
  };
  try {
    await migratePayments(databaseUrl);
    const store = await openEventStore({ settings, databaseUrl, isShared: shape === 'distributed', metrics });
    closers.push(() => store.close());
    const pools = openPools(databaseUrl, metrics);
    const { pool, projectionPool } = pools.live;
    for (const each of Object.values(pools))
      closers.push(
        () => each.pool.end(),
        () => each.projectionPool.end(),
      );

    await removeLeftovers(pool, logger);
    const clock = new Clock();
    const ledgers = new Ledgers({
      bus,
      settings,
      store,
      pools,
      sources: settings.devTools ? testCards : noSources,
      logger,
      clock,
      isOnlyInstance: shape === 'embedded',
    });
    await ledgers.start();
    closers.push(() => ledgers.stop());
    if (settings.demo) await fundDemoWallets(ledgers.live);
    const publisher = publishTo && new Publisher({ store, pool: projectionPool, topic: publishTo, clock, logger });
    await publisher?.start();
    closers.push(async () => publisher?.stop());
    if (metrics !== undefined) showPayments(metrics, { ledgers, pools, publisher });

    const peopleGroup = await peopleGroupOf(pool);
    const app = await NestFactory.createMicroservice(PaymentsModule.with(ledgers, peopleGroup), {
      strategy: new BusServer(bus),
      logger: new NestPinoLogger(logger),
      abortOnError: false,
    });
    await app.listen();
    closers.push(() => app.close());
    const checks: Checks = {
      postgres: () => pool.query('select').then(() => true),
      ...(settings.eventStore.kind === 'eventstoredb' ? { eventStore: () => answers(store) } : {}),
    };
    return {
      checks,
      peopleGroup,
      knowsPeople: await ledgers.people.isFilled(),
      drain: async () => publisher?.stop(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** No reason not to start: the read models do without. */
async function removeLeftovers(pool: Pool, logger: Logger): Promise<void> {
  try {
    const schemas = await dropLeftovers(pool);
    if (schemas.length > 0) logger.warn({ schemas }, 'removed what a rebuild had left that was cut off');
  } catch (err) {
    logger.error({ err }, 'what a rebuild had left could not be removed: it holds a second copy of the payments');
  }
}

/** Reads next to nothing. */
async function answers(store: EventStore): Promise<boolean> {
  await store.readStream('health', { direction: 'forwards', limit: 1 });
  return true;
}

/** Another database follows the people anew, from the first record that is kept. */
async function peopleGroupOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('select id from people_copy');
  return `payments-${rows[0]?.id}`;
}

/** Brings the tables of the payments service up to date: the read models by TypeORM, the event log by its own lib. */
export async function migratePayments(databaseUrl: string): Promise<void> {
  const dataSource = createDataSource({
    name: 'payments-service',
    url: databaseUrl,
    entities: [
      PaymentRow,
      LedgerEntryRow,
      FeeEntryRow,
      OpenWorkRow,
      CheckpointRow,
      KnownUserRow,
      KnownPairRow,
      KnownAddressRow,
      IdempotencyKeyRow,
    ],
    migrations: [
      CreateReadModels1795250000000,
      FenceProjections1795300000000,
      NamePeopleCopy1795310000000,
      CreateIdempotencyKeys1795320000000,
      IndexLists1795340000000,
      CreateSandbox1795350000000,
      NameSandboxIndexes1795360000000,
    ],
  });
  await openDataSource(dataSource);
  try {
    await migrateEventLog(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

async function fundDemoWallets({ deposits, clock }: Ledger): Promise<void> {
  for (const { id: userId, balanceCents: amountCents, fundingCommandId: commandId } of Object.values(DEMO_USERS)) {
    if (amountCents > 0) await deposits.add({ commandId, userId, amountCents }, 'demo-bank', clock.nowUs());
  }
}
