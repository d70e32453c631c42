import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS, SettingsError, readSettings, type Settings } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { KafkaBus, MessageClient, toKafkaAddress } from '@settle/messaging';
import { SecurityLog, createLogger, operatorName } from '@settle/observability';
import { checkServer } from '@settle/postgres';
import { Raw, type DataSource } from 'typeorm';
import { USER_FLAGS, readAdminArguments, type AdminCommand } from './operators/admin-arguments.js';
import { Users } from './users/users.js';
import { createUsersDataSource } from './start-users-service.js';
import { effectIsLate, awaitPaymentsReplica, type RecordVersion } from './users/await-payments-replica.js';
import { User } from './storage/user.entity.js';

const NOT_DONE = 1;
const DONE_LATER = 2;
const UNDEFINED_TABLE = '42P01';

/** Waits until payments-service has a change. */
type Confirm = (record: RecordVersion) => Promise<void>;

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
    const publicUrl = await announcedUrl(dataSource);
    const userId = await idOf(dataSource, username);
    if (Object.keys(change).length > 0) {
      await confirming(settings, dataSource, async (confirm) => {
        const version = await new Users(dataSource.manager, publicUrl).changeUser(userId, change);
        tellSecurityLog(operatorName(operator), userId, change);
        await confirm(version);
      });
    }
    process.stdout.write(await shown(dataSource, userId));
  } finally {
    await dataSource.destroy();
  }
}

/** Returns the public URL, which is part of the picture links in the published records. */
async function announcedUrl(dataSource: DataSource): Promise<string> {
  const rows = await dataSource
    .query<{ public_url: string }[]>('select public_url from announced_address')
    .catch((error: { driverError?: { code?: string } }) => {
      if (error.driverError?.code !== UNDEFINED_TABLE) throw error;
      return [];
    });
  if (rows[0] === undefined) throw new Error('Users-service has not run on this database yet: start it first');
  return rows[0].public_url;
}

async function idOf(dataSource: DataSource, username: string): Promise<string> {
  const named = { username: Raw((column) => `lower(${column}) = lower(:username)`, { username }) };
  const user = await dataSource.manager.findOneBy(User, named);
  if (user === null) throw new Error(`There is no user "${username}": usernames are written without an @`);
  return user.id;
}

/** Connects to payments-service before anything is changed. */
async function confirming(
  { kafka }: Settings,
  dataSource: DataSource,
  work: (confirm: Confirm) => Promise<void>,
): Promise<void> {
  if (kafka.brokers.length === 0) return work(({ key }) => untilTaken(dataSource, key));
  const logger = createLogger({ level: 'silent', service: 'users-admin' });
  const { topicPrefix, sessionTimeoutMs } = kafka;
  const principal = 'users-service';
  const clientId = `users-admin-${randomUUID()}`;
  const bus = await KafkaBus.connect({
    address: toKafkaAddress(kafka),
    clientId,
    logger,
    principal,
    topicPrefix,
    sessionTimeoutMs,
  });
  try {
    await work((record) => awaitPaymentsReplica(new MessageClient(bus), record));
  } finally {
    await bus.close();
  }
}

/** In the embedded shape a record that has left the outbox is committed by its consumers. */
async function untilTaken(dataSource: DataSource, key: string): Promise<void> {
  const deadlineMs = performance.now() + LIMITS.users.confirmWaitMs;
  for (;;) {
    const waiting = await dataSource.query<object[]>('select from outbox where key = $1 limit 1', [key]);
    if (waiting.length === 0) return;
    if (performance.now() >= deadlineMs) throw effectIsLate();
    await pause(LIMITS.outbox.waiterPollMs);
  }
}

/** Writes to standard error: standard output is for the operator. */
function tellSecurityLog(operator: string, userId: string, change: AdminCommand['change']): void {
  const logger = createLogger({ level: 'info', service: 'users-admin', stream: process.stderr });
  const set = Object.entries(USER_FLAGS).flatMap(([name, field]) => {
    const value = change[field];
    return value === undefined ? [] : [[name, value] as const];
  });
  new SecurityLog({ logger }).write('operator_flags_set', { userId, operator, flags: Object.fromEntries(set) });
}

async function shown(dataSource: DataSource, userId: string): Promise<string> {
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
