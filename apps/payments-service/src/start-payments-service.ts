import 'reflect-metadata';
import { LIMITS, type Settings } from '@settle/config';
import { DEMO_USERS, paymentEvents } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import type { Checks, Lags, ParentChannel } from '@settle/lifecycle';
import { BusServer, type InMemoryBus, type MessageBus } from '@settle/messaging';
import { NestPinoLogger, type Logger, type Metrics } from '@settle/observability';
import { checkSchema, createDatabaseCheck, databaseFailures, requireDatabaseMode } from '@settle/postgres';
import { NestFactory } from '@nestjs/core';
import type { Pool } from 'pg';
import { connectProvider } from './connect-provider.js';
import { createPaymentTexts } from './data-keys/create-payment-texts.js';
import { Clock } from './storage/clock.js';
import type { Ledger } from './ledger/ledger.js';
import { Ledgers } from './ledger/ledgers.js';
import { openEventStore } from './storage/open-event-store.js';
import { openPools } from './storage/open-pools.js';
import { PAYMENTS_SCHEMA } from './payments-schema.js';
import { PaymentsModule } from './payments.module.js';
import { UserStatusRecorder, type UserStatusRecorderDependencies } from './jobs/user-status-recorder.js';
import { compareReadModelsWithLog } from './projection/lost-events.js';
import { PROJECTIONS } from './read-models/registry.js';
import { createPaymentEventSource } from './public-events/payment-event-consumers.js';
import { Publisher } from './public-events/publisher.js';
import { PUBLISHED_TOPICS } from './public-events/published-topics.js';
import type { PublishingBus } from './public-events/publishing-run.js';
import { ProviderCallbacks } from './provider/provider-callbacks.js';
import { ProviderHints } from './provider/provider-hints.js';
import { registerPaymentsMetrics } from './payments-metrics.js';
import { warnOfAsynchronousStandby } from './storage/standby-warning.js';
import { noSources } from './transfer/funding.js';

export interface PaymentsServiceOptions {
  readonly settings: Settings;
  readonly bus: MessageBus;
  readonly logger: Logger;
  readonly databaseUrl: string;
  /** `embedded`: the only process on the database. `distributed`: one of several. */
  readonly shape: 'embedded' | 'distributed';
  /** Bus with the public topics, in the distributed shape; they are published from the first event on. */
  readonly publishTo?: PublishingBus;
  /** Bus on which services of this process consume payment events, in the embedded shape. */
  readonly eventsOn?: Pick<InMemoryBus, 'useSource'>;
  /** The process that accepts connections with callbacks for this one; absent: none does. */
  readonly parent?: ParentChannel;
  /** Absent: no metrics. */
  readonly metrics?: Metrics | undefined;
  /** Called if the process must end because its state contradicts the log. */
  readonly onFatal: (error: Error) => void;
}

export interface PaymentsService {
  readonly checks: Checks;
  /** Lag of the read models. */
  readonly lags: Lags;
  /** Consumer group of this database's user replica. */
  readonly usersGroup: string;
  /** False if the user replica is empty, so that users-service must announce all users. */
  readonly isUserReplicaFilled: boolean;
  /** Where this instance receives callbacks of the payment provider; null if none is configured. */
  readonly callbacksUrl: string | null;
  /** Lets another instance publish, while the bus still completes requests in progress. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

/** Starts projection, jobs, commands and queries. Start it before users-service. Error: the database is older than this release. */
export async function startPaymentsService(options: PaymentsServiceOptions): Promise<PaymentsService> {
  const { settings, bus, logger, databaseUrl, shape, metrics } = options;
  const closers: (() => Promise<unknown>)[] = [];
  databaseFailures.setLogger(logger);
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) {
      await closer().catch((err: unknown) =>
        logger.error({ err }, 'a part of payments-service did not close; closing the others'),
      );
    }
  };
  try {
    const pools = await openDatabase(options, closers);
    const { pool, projectionPool } = pools.live;
    const onLost = (error: Error) => {
      logger.fatal({ err: error }, 'the event log went back: this process ends');
      options.onFatal(error);
    };
    const isShared = shape === 'distributed';
    const store = await openEventStore({ settings, databaseUrl, isShared, followsLedgers: true, metrics, onLost });
    closers.push(() => store.close());
    await Promise.all([warnOfRights(pool, logger), warnOfAsynchronousStandby(pool, logger)]);
    await compareReadModelsWithLog(store, pool, logger);
    const clock = new Clock();
    const texts = await createPaymentTexts(settings, pool, shape === 'embedded');
    const provider = connectProvider({ settings, pool, clock, logger, metrics, onFatal: options.onFatal });
    const closeProvider = async () => provider?.close();
    closers.push(closeProvider);
    const ledgers = new Ledgers({
      bus,
      settings,
      store,
      ...{ pools, texts, funding: noSources },
      provider: provider?.options ?? null,
      logger,
      clock,
      isOnlyInstance: shape === 'embedded',
    });
    await ledgers.start();
    // Requests to the provider end first: the ledgers wait for those in progress.
    closers.push(() => ledgers.stop(), closeProvider);
    closers.push(recordUserStatuses({ store, pool, clock, logger }));
    if (settings.demo) await fundDemoWallets(ledgers.live);
    const publisher = await providePaymentEvents(options, { store, pool: projectionPool, clock });
    closers.push(async () => publisher?.stop());
    if (metrics !== undefined) registerPaymentsMetrics(metrics, { ledgers, pools, publisher });

    const onStored = () => ledgers.live.changeReaders?.hints.wake();
    const callbacksUrl = await receiveCallbacks(options, { pool, clock, closers, onStored });
    const usersGroup = await usersGroupOf(pool);
    await provider?.gate.awaitFirst(LIMITS.provider.startWaitMs);
    closers.push(await receiveMessages(options, ledgers, usersGroup));
    return {
      checks: checksOf(options, store),
      lags: lagsOf(ledgers),
      usersGroup,
      callbacksUrl,
      isUserReplicaFilled: await ledgers.users.isFilled(),
      drain: async () => publisher?.stop(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the pools; `closers` end them. Error: the database is older than this release, or of another mode. */
async function openDatabase(
  { settings, databaseUrl, metrics }: PaymentsServiceOptions,
  closers: (() => Promise<unknown>)[],
): Promise<ReturnType<typeof openPools>> {
  const pools = openPools(databaseUrl, PROJECTIONS.length, metrics);
  for (const { projectionPool, pool } of Object.values(pools)) {
    closers.push(() => Promise.all([projectionPool.end(), pool.end()]));
  }
  await checkSchema(PAYMENTS_SCHEMA, pools.live.pool);
  await requireDatabaseMode(pools.live.pool, settings.nodeEnv);
  return pools;
}

/** Answers the messages of the service from now on. Resolves with what ends that. */
async function receiveMessages(
  { bus, logger }: PaymentsServiceOptions,
  ledgers: Ledgers,
  usersGroup: string,
): Promise<() => Promise<void>> {
  const app = await NestFactory.createMicroservice(PaymentsModule.with(ledgers, usersGroup), {
    strategy: new BusServer(bus),
    logger: new NestPinoLogger(logger),
    abortOnError: false,
  });
  await app.listen();
  return () => app.close();
}

/** Stores in the event log who joined, was frozen, thawed and closed, from now on. Returns what ends that. */
function recordUserStatuses(parts: UserStatusRecorderDependencies): () => Promise<void> {
  const recorder = new UserStatusRecorder(parts);
  recorder.start();
  return () => recorder.stop();
}

/** Publishes public events on their topics, or delivers them to the consumers of this process. */
async function providePaymentEvents(
  { publishTo, eventsOn, logger }: PaymentsServiceOptions,
  parts: { readonly store: EventStore; readonly pool: Pool; readonly clock: Clock },
): Promise<Publisher | undefined> {
  eventsOn?.useSource(paymentEvents, createPaymentEventSource({ ...parts, logger }));
  if (publishTo === undefined) return undefined;
  const publisher = new Publisher({ ...parts, bus: publishTo, logger }, PUBLISHED_TOPICS);
  await publisher.start();
  return publisher;
}

interface CallbackParts {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly closers: (() => Promise<unknown>)[];
  readonly onStored: () => void;
}

/** Stores callbacks of the payment provider. In the embedded shape they come from this process alone. */
async function receiveCallbacks(
  { settings, shape, logger, metrics, parent }: PaymentsServiceOptions,
  { pool, clock, closers, onStored }: CallbackParts,
): Promise<string | null> {
  const { provider, callbacks: address } = settings.funding;
  if (provider === null) return null;
  const hints = new ProviderHints(pool, clock);
  const callbacks = new ProviderCallbacks({
    ...{ secret: provider.secret, hints, clock, logger, metrics, parent, onStored },
  });
  closers.push(() => callbacks.close());
  return callbacks.listen(shape === 'embedded' ? { host: '127.0.0.1', port: 0 } : address);
}

function checksOf({ settings, databaseUrl }: PaymentsServiceOptions, store: EventStore): Checks {
  return {
    postgres: createDatabaseCheck(databaseUrl),
    ...(settings.eventStore.kind === 'eventstoredb' ? { eventStore: () => isStoreServing(store) } : {}),
  };
}

function lagsOf({ live, sandbox }: Ledgers): Lags {
  return {
    readModels: () => live.projector.progress().behindMs,
    sandboxReadModels: () => sandbox.projector.progress().behindMs,
  };
}

/** Warns if the service's role may change events, which migrations under a separate role take away. */
async function warnOfRights(pool: Pool, logger: Logger): Promise<void> {
  const { rows } = await pool.query<{ may_change: boolean }>(
    `select has_table_privilege('events', 'update') or has_table_privilege('events', 'delete') as may_change`,
  );
  if (rows[0]?.may_change === true) {
    logger.warn('this role of the database may change events; run the migrations under a separate role to revoke that');
  }
}

/** Reads one event at most. Errors: the store's. */
async function isStoreServing(store: EventStore): Promise<boolean> {
  await store.readStream('health', { direction: 'forwards', limit: 1 });
  return true;
}

/** Returns the consumer group of this database's replica: another database consumes the topic from its start. */
async function usersGroupOf(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ id: string }>('select id from people_copy');
  return `payments-${rows[0]?.id}`;
}

async function fundDemoWallets({ deposits, clock }: Ledger): Promise<void> {
  for (const { id: userId, balanceCents: amountCents, fundingCommandId: commandId } of Object.values(DEMO_USERS)) {
    if (amountCents > 0) await deposits.add({ commandId, userId, amountCents }, 'demo-bank', clock.nowUs());
  }
}
