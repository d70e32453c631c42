import 'reflect-metadata';
import { LIMITS, type Settings } from '@settle/config';
import type { Checks } from '@settle/lifecycle';
import { BusServer, MessageClient, type MessageBus } from '@settle/messaging';
import { NestPinoLogger, type Logger, type Metrics } from '@settle/observability';
import { OutboxPublisher, createDataSource, createPool, openDataSource, showOutbox } from '@settle/postgres';
import { NestFactory } from '@nestjs/core';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { Accounts } from './accounts.js';
import { AddDueAnnouncement1795310000000 } from './add-due-announcement.migration.js';
import { AddFriendRequests1795340000000 } from './add-friend-requests.migration.js';
import { AddFundingSourceDigits1795350000000 } from './add-funding-source-digits.migration.js';
import { announceEverything, announceNewAddress } from './announcements.js';
import { CreatePeople1795200000000 } from './create-people.migration.js';
import { refuseDemoPeople, seedDemoPeople } from './demo-people.js';
import { DueAnnouncement, noteLostRecords } from './due-announcement.js';
import { FriendRequest } from './friend-request.entity.js';
import { Friends } from './friends.js';
import { believeBothProofs, leaveToOperator } from './identity-check.js';
import { Pair } from './pair.entity.js';
import { PeopleQueries } from './people-queries.js';
import { ProvenAddressRow } from './proven-address.entity.js';
import { User } from './user.entity.js';
import { UsersModule } from './users.module.js';

export interface UsersServiceOptions {
  readonly settings: Settings;
  readonly bus: MessageBus;
  readonly logger: Logger;
  readonly databaseUrl: string;
  /** The bus holds no record of anybody, as one that is new: everybody is announced anew. */
  readonly recordsAreLost?: boolean;
  /** Absent: nothing is measured. */
  readonly metrics?: Metrics | undefined;
}

export interface UsersService {
  readonly checks: Checks;
  /** Leaves the publishing to another instance, while the bus still takes what is in hand. */
  drain(): Promise<void>;
  /** Announces everybody anew, batch by batch: for a reader of `users.state.v1` that has lost its copy. */
  announceEverything(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Migrates, seeds, answers requests and publishes. Whoever follows people's records has them all when it resolves,
 * so followers in the same process start first: an in-memory bus keeps nothing for those that come later.
 */
export async function startUsersService(options: UsersServiceOptions): Promise<UsersService> {
  const { settings, bus, logger, databaseUrl, recordsAreLost = false, metrics } = options;
  const dataSource = createUsersDataSource(databaseUrl);
  const pool = createPool(databaseUrl, { max: LIMITS.users.poolConnections, name: 'users-service', metrics });
  const closers: (() => Promise<void>)[] = [() => pool.end()];
  const close = async () => {
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    await openDataSource(dataSource, metrics);
    closers.push(() => dataSource.destroy());
    if (settings.demo) await seedDemoPeople(dataSource, settings.publicUrl);
    if (settings.nodeEnv === 'production') await refuseDemoPeople(dataSource);
    await announceNewAddress(dataSource, settings.publicUrl);

    const outbox = new OutboxPublisher({ pool, bus, logger });
    if (metrics !== undefined) showOutbox(metrics, pool);
    closers.push(() => outbox.stop());
    closers.push(await listen(options, dataSource, pool));
    await outbox.untilPublished(LIMITS.outbox.catchUpWaitMs).catch((err: unknown) => {
      logger.warn({ err }, 'the other services do not know all people yet, publishing goes on');
    });
    const published = (keys: readonly string[]) => outbox.untilPublished(LIMITS.outbox.batchWaitMs, keys);
    const announce = () => announceEverything(dataSource, settings.publicUrl, published);
    if (recordsAreLost) await noteLostRecords(pool);
    const due = new DueAnnouncement({ pool, announce, logger });
    closers.push(() => due.stop());
    return {
      checks: { postgres: () => pool.query('select').then(() => true) },
      announceEverything: announce,
      drain: () => due.stop().then(() => outbox.stop()),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The tables of people, with their migrations. */
export function createUsersDataSource(url: string): DataSource {
  return createDataSource({
    name: 'users-service',
    url,
    entities: [User, ProvenAddressRow, Pair, FriendRequest],
    migrations: [
      CreatePeople1795200000000,
      AddDueAnnouncement1795310000000,
      AddFriendRequests1795340000000,
      AddFundingSourceDigits1795350000000,
    ],
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
