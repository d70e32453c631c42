import { randomUUID } from 'node:crypto';
import { pollUntil } from '@settle/concurrency';
import { LIMITS, SettingsError, readSettings, type Settings } from '@settle/config';
import { SettleError, type UsersKnown } from '@settle/contracts';
import { KafkaBus, MessageClient, toKafkaAddress } from '@settle/messaging';
import { SecurityLog, createLogger, operatorName } from '@settle/observability';
import { checkServer } from '@settle/postgres';
import type { DataSource } from 'typeorm';
import { USER_FLAGS, readAdminArguments, type AdminCommand } from './operators/admin-arguments.js';
import { findByUsername } from './users/find-by-username.js';
import { Users } from './users/users.js';
import { createUsersDataSource } from './start-users-service.js';
import { effectIsLate, awaitPaymentsReplica } from './users/await-payments-replica.js';
import { User } from './storage/user.entity.js';

const NOT_DONE = 1;
const DONE_LATER = 2;
const UNDEFINED_TABLE = '42P01';

/**
 * `node dist/admin.js user alice --frozen`: sets or shows the flags of a user. Settings: those of users-service;
 * without `KAFKA_BROKERS` those of the embedded shape. Exit code 0: payments-service has the change; 2: it is stored
 * and payments-service does not have it yet; 1: nothing was changed.
 */
async function main(args: readonly string[]): Promise<void> {
  const { username, operator, change } = readAdminArguments(args);
  const settings = readSettings(process.env);
  const { databaseUrl } = settings;
  if (databaseUrl === null) throw new SettingsError(['DATABASE_URL: it is needed here and not set']);
  await checkServer(databaseUrl);
  const dataSource = await createUsersDataSource(databaseUrl).initialize();
  try {
    const publicUrl = await loadAnnouncedUrl(dataSource);
    const userId = await findUserId(dataSource, username);
    if (Object.keys(change).length > 0) {
      await withConfirmation(settings, dataSource, async (confirm) => {
        const version = await new Users(dataSource.manager, publicUrl).changeUser(userId, change);
        writeSecurityLog(operatorName(operator), userId, change);
        await confirm(version);
      });
    }
    process.stdout.write(await formatUser(dataSource, userId));
  } finally {
    await dataSource.destroy();
  }
}

/** Returns the public URL, which is part of the picture links in the published records. */
async function loadAnnouncedUrl(dataSource: DataSource): Promise<string> {
  const rows = await dataSource
    .query<{ public_url: string }[]>('select public_url from announced_address')
    .catch((error: { driverError?: { code?: string } }) => {
      if (error.driverError?.code !== UNDEFINED_TABLE) throw error;
      return [];
    });
  if (rows[0] === undefined) throw new Error('Users-service has not run on this database yet: start it first');
  return rows[0].public_url;
}

async function findUserId(dataSource: DataSource, username: string): Promise<string> {
  const user = await findByUsername(dataSource.manager, username);
  if (user === null) throw new Error(`There is no user "${username}": usernames are written without an @`);
  return user.id;
}

/** Connects to payments-service before anything is changed. */
async function withConfirmation(
  { kafka }: Settings,
  dataSource: DataSource,
  work: (confirm: (record: UsersKnown) => Promise<void>) => Promise<void>,
): Promise<void> {
  if (kafka.brokers.length === 0) return work(({ key }) => awaitPublication(dataSource, key));
  const logger = createLogger({ level: 'silent', service: 'users-admin' });
  const { topicPrefix, sessionTimeoutMs } = kafka;
  const client = { clientId: `users-admin-${randomUUID()}`, principal: 'users-service' } as const;
  const address = toKafkaAddress(kafka);
  const bus = await KafkaBus.connect({ ...client, address, logger, topicPrefix, sessionTimeoutMs });
  try {
    await work((record) => awaitPaymentsReplica(new MessageClient(bus), record));
  } finally {
    await bus.close();
  }
}

/** In the embedded shape a record that has left the outbox is committed by its consumers. */
async function awaitPublication(dataSource: DataSource, key: string): Promise<void> {
  const isPublished = async () =>
    (await dataSource.query<object[]>('select from outbox where key = $1 limit 1', [key])).length === 0;
  const limits = { everyMs: LIMITS.outbox.waiterPollMs, timeoutMs: LIMITS.users.confirmWaitMs };
  if (!(await pollUntil(isPublished, limits))) throw effectIsLate();
}

/** Writes to standard error: standard output is for the operator. */
function writeSecurityLog(operator: string, userId: string, change: AdminCommand['change']): void {
  const logger = createLogger({ level: 'info', service: 'users-admin', stream: process.stderr });
  const set = Object.entries(USER_FLAGS).filter(([, field]) => change[field] !== undefined);
  const flags = Object.fromEntries(set.map(([name, field]) => [name, change[field] === true]));
  new SecurityLog({ logger }).write('operator_flags_set', { userId, operator, flags });
}

async function formatUser(dataSource: DataSource, userId: string): Promise<string> {
  const user = await dataSource.manager.findOneByOrFail(User, { id: userId });
  const flags = Object.entries(USER_FLAGS).map(([name, field]) => `  ${name.padEnd(14)} ${user[field] ? 'yes' : 'no'}`);
  return [`${user.username} (${user.id})`, ...flags, ''].join('\n');
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  const isStored = error instanceof SettleError && error.code === 'outcome_unknown';
  process.exitCode = isStored ? DONE_LATER : NOT_DONE;
}
