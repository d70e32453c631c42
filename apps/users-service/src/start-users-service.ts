import 'reflect-metadata';
import { ChangeTracker, ResultCache } from '@settle/concurrency';
import { LIMITS, type Settings } from '@settle/config';
import { idsOfUsersStateKey } from '@settle/contracts';
import type { Checks } from '@settle/lifecycle';
import { BusServer, MessageClient, type MessageBus } from '@settle/messaging';
import { NestPinoLogger, type Logger, type Metrics } from '@settle/observability';
import {
  OutboxPublisher,
  checkSchema,
  createDatabaseCheck,
  createDataSource,
  createPool,
  databaseFailures,
  openDataSource,
  requireDatabaseMode,
  registerOutboxMetrics,
} from '@settle/postgres';
import { NestFactory } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { announceEverything } from './announcements/announcements.js';
import { CommittedChanges } from './announcements/committed-changes.js';
import { seedDemoUsers } from './users/demo-users.js';
import { noteLostRecords, notePublicUrl, startDueAnnouncement } from './announcements/due-announcement.js';
import { FriendRequest } from './storage/friend-request.entity.js';
import { Pair } from './storage/pair.entity.js';
import { VerifiedAddressRow } from './storage/verified-address.entity.js';
import { User } from './storage/user.entity.js';
import { USERS_SCHEMA } from './storage/users-schema.js';
import { UsersModule, type UsersModuleParts } from './users.module.js';

const { profilesKept, profileBytesKept, changesKept } = LIMITS.users;
const PROFILES_KEPT = { results: profilesKept, bytes: profileBytesKept };

export interface UsersServiceOptions {
  readonly settings: Settings;
  readonly bus: MessageBus;
  readonly logger: Logger;
  readonly databaseUrl: string;
  /** The topic has no user records, as on a new broker: all users are published again. */
  readonly recordsAreLost?: boolean;
  /** No other process can use this database. Absent: others can. */
  readonly isOnlyInstance?: boolean;
  readonly metrics?: Metrics | undefined;
}

export interface UsersService {
  readonly checks: Checks;
  /** Lets another instance publish, while the bus still completes requests in progress. */
  drain(): Promise<void>;
  /** Publishes all users again, batch by batch, for a consumer of `users.state.v1` that has lost its replica. */
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
    if (settings.demo) await seedDemoUsers(dataSource, settings.publicUrl);
    await notePublicUrl(pool, settings.publicUrl);

    const changes = isOnlyInstance ? trackChanges(dataSource) : null;
    const outbox = new OutboxPublisher({ pool, bus: recordingBus(bus, changes), logger, isOnlyInstance });
    if (metrics !== undefined) registerOutboxMetrics(metrics, pool);
    closers.push(() => outbox.stop());
    closers.push(
      await listen(options, { dataSource, pool, profiles: changes && new ResultCache(changes, PROFILES_KEPT) }),
    );
    await outbox.waitUntilPublished(LIMITS.outbox.catchUpWaitMs).catch((err: unknown) => {
      logger.warn({ err }, 'user records are not published completely yet; publishing continues');
    });
    const announce = (publicUrl: string, signal?: AbortSignal) =>
      announceEverything(dataSource, publicUrl, async (keys) => {
        signal?.throwIfAborted();
        await outbox.waitUntilPublished(LIMITS.outbox.batchWaitMs, keys);
      });
    if (recordsAreLost) await noteLostRecords(pool);
    const stopDueAnnouncement = startDueAnnouncement({ pool, announce, logger, isOnlyInstance });
    closers.push(stopDueAnnouncement);
    return {
      checks: { postgres: createDatabaseCheck(databaseUrl) },
      announceEverything: () => announce(settings.publicUrl),
      drain: () => stopDueAnnouncement().then(() => outbox.stop()),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export function createUsersDataSource(url: string): DataSource {
  return createDataSource({ name: 'users-service', url, entities: [User, VerifiedAddressRow, Pair, FriendRequest] });
}

/** Tracks which users change, by the transactions of this process. */
function trackChanges(dataSource: DataSource): ChangeTracker {
  const changes = new ChangeTracker(changesKept);
  dataSource.subscribers.push(new CommittedChanges(changes));
  changes.resume();
  return changes;
}

/** Records what commands of an operator have changed: they wait until their records are published. */
function recordingBus(bus: MessageBus, changes: ChangeTracker | null): Pick<MessageBus, 'publish'> {
  if (changes === null) return bus;
  return {
    async publish(event) {
      await bus.publish(event);
      changes.record(idsOfUsersStateKey(event.key) ?? []);
    },
  };
}

async function listen(
  { settings, bus, logger }: UsersServiceOptions,
  parts: Pick<UsersModuleParts, 'dataSource' | 'pool' | 'profiles'>,
): Promise<() => Promise<void>> {
  const module = UsersModule.with({ ...parts, settings, client: new MessageClient(bus) });
  const app = await NestFactory.createMicroservice(module, {
    strategy: new BusServer(bus),
    logger: new NestPinoLogger(logger),
    abortOnError: false,
  });
  await app.listen();
  return () => app.close();
}
