import 'reflect-metadata';
import { LIMITS, type Settings } from '@settle/config';
import type { Checks } from '@settle/lifecycle';
import { BusServer, MessageClient, type MessageBus } from '@settle/messaging';
import { NestPinoLogger, type Logger, type Metrics } from '@settle/observability';
import {
  OutboxPublisher,
  checkSchema,
  createDataSource,
  createPool,
  databaseFailures,
  isDatabaseReady,
  openDataSource,
  requireDatabaseMode,
  registerOutboxMetrics,
} from '@settle/postgres';
import { NestFactory } from '@nestjs/core';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { Accounts } from './accounts.js';
import { announceEverything } from './announcements.js';
import { seedDemoPeople } from './demo-people.js';
import { DueAnnouncement, noteLostRecords, notePublicUrl } from './due-announcement.js';
import { FriendRequest } from './friend-request.entity.js';
import { Friends } from './friends.js';
import { believeBothProofs, leaveToOperator } from './identity-check.js';
import { Pair } from './pair.entity.js';
import { PeopleQueries } from './people-queries.js';
import { ProvenAddressRow } from './proven-address.entity.js';
import { User } from './user.entity.js';
import { USERS_SCHEMA } from './users-schema.js';
import { UsersModule } from './users.module.js';

export interface UsersServiceOptions {
  readonly settings: Settings;
  readonly bus: MessageBus;
  readonly logger: Logger;
  readonly databaseUrl: string;
  /** The bus has no users' records, as a new one does: all users are announced again. */
  readonly recordsAreLost?: boolean;
  /** No other process can be at work on this database. Absent: others can. */
  readonly isOnlyInstance?: boolean;
  /** Absent: nothing is measured. */
  readonly metrics?: Metrics | undefined;
}

export interface UsersService {
  readonly checks: Checks;
  /** Lets another instance publish, while the bus still completes requests in progress. */
  drain(): Promise<void>;
  /** Announces all users again, batch by batch: for a consumer of `users.state.v1` that has lost its replica. */
  announceEverything(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Seeds the demo data, serves requests and publishes user records. Consumers have all records when it resolves, so
 * consumers in the same process must start first: an in-memory bus keeps no messages for later ones.
 */
export async function startUsersService(options: UsersServiceOptions): Promise<UsersService> {
  const { settings, bus, logger, databaseUrl, recordsAreLost = false, isOnlyInstance = false, metrics } = options;
  databaseFailures.setLogger(logger);
  const dataSource = createUsersDataSource(databaseUrl);
  const pool = createPool(databaseUrl, { max: LIMITS.users.poolConnections, name: 'users-service', metrics });
  const closers: (() => Promise<void>)[] = [() => pool.end()];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    await checkSchema(USERS_SCHEMA, pool);
    await requireDatabaseMode(pool, settings.nodeEnv);
    await openDataSource(dataSource, metrics);
    closers.push(() => dataSource.destroy());
    if (settings.demo) await seedDemoPeople(dataSource, settings.publicUrl);
    await notePublicUrl(pool, settings.publicUrl);

    const outbox = new OutboxPublisher({ pool, bus, logger, isOnlyInstance });
    if (metrics !== undefined) registerOutboxMetrics(metrics, pool);
    closers.push(() => outbox.stop());
    closers.push(await listen(options, dataSource, pool));
    await outbox.waitUntilPublished(LIMITS.outbox.catchUpWaitMs).catch((err: unknown) => {
      logger.warn({ err }, 'the other services do not know all people yet, publishing goes on');
    });
    const published = (keys: readonly string[]) => outbox.waitUntilPublished(LIMITS.outbox.batchWaitMs, keys);
    const announce = (publicUrl: string, signal?: AbortSignal) =>
      announceEverything(dataSource, publicUrl, async (keys) => {
        signal?.throwIfAborted();
        await published(keys);
      });
    if (recordsAreLost) await noteLostRecords(pool);
    const due = new DueAnnouncement({ pool, announce, logger, isOnlyInstance });
    closers.push(() => due.stop());
    return {
      checks: { postgres: () => isDatabaseReady(databaseUrl) },
      announceEverything: () => announce(settings.publicUrl),
      drain: () => due.stop().then(() => outbox.stop()),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The tables of people. */
export function createUsersDataSource(url: string): DataSource {
  return createDataSource({
    name: 'users-service',
    url,
    entities: [User, ProvenAddressRow, Pair, FriendRequest],
  });
}

async function listen(
  { settings, bus, logger }: UsersServiceOptions,
  dataSource: DataSource,
  pool: Pool,
): Promise<() => Promise<void>> {
  const queries = new PeopleQueries(pool, settings.publicUrl, settings.contactVisibility);
  const identityCheck = settings.devTools ? believeBothProofs : leaveToOperator;
  const client = new MessageClient(bus);
  const accounts = new Accounts(dataSource, settings.publicUrl, identityCheck, client);
  const friends = new Friends(dataSource, settings.publicUrl, client);
  const app = await NestFactory.createMicroservice(UsersModule.with({ queries, accounts, friends }), {
    strategy: new BusServer(bus),
    logger: new NestPinoLogger(logger),
    abortOnError: false,
  });
  await app.listen();
  return () => app.close();
}
