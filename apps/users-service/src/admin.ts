import { randomUUID } from 'node:crypto';
import { pollUntil } from '@settle/concurrency';
import { LIMITS, SettingsError, readSettings, type Settings } from '@settle/config';
import {
  SettleError,
  isId,
  readAuditQuery,
  readCloseCommand,
  readFindQuery,
  type AuditQuery,
  type CloseCommand,
  type UsersKnown,
} from '@settle/contracts';
import { KafkaBus, MessageClient, toKafkaAddress } from '@settle/messaging';
import { SecurityLog, createLogger, operatorName } from '@settle/observability';
import { checkServer, formatAudit, runAudited } from '@settle/postgres';
import type { DataSource } from 'typeorm';
import { flagsOf, readAdminArguments, type AdminCommand } from './operators/admin-arguments.js';
import { closeAccount, findUserToClose } from './operators/close-account.js';
import { findUsers, formatFlags } from './operators/find-users.js';
import { Users, findByUsername } from './users/users.js';
import { createUsersDataSource } from './start-users-service.js';
import { effectIsLate, awaitPaymentsReplica } from './users/await-payments-replica.js';
import type { User } from './storage/user.entity.js';

const NOT_DONE = 1;
const DONE_LATER = 2;
const UNDEFINED_TABLE = '42P01';

/**
 * `node dist/admin.js user alice --frozen`: sets or shows the flags of a user; `find` finds users, `audit` lists what
 * operators changed here, `close` takes a step of closing an account. Settings: those of users-service; without `KAFKA_BROKERS` those of the embedded shape. Exit
 * code 0: done, and payments-service has the change; 2: it is stored and payments-service does not have it yet; 1:
 * nothing was changed, or no user was found.
 */
async function main(args: readonly string[]): Promise<void> {
  const run = readCommand(args);
  const settings = readSettings(process.env);
  const { databaseUrl } = settings;
  if (databaseUrl === null) throw new SettingsError(['DATABASE_URL: it is needed here and not set']);
  await checkServer(databaseUrl);
  const dataSource = await createUsersDataSource(databaseUrl).initialize();
  try {
    process.stdout.write(await run(dataSource, settings));
  } finally {
    await dataSource.destroy();
  }
}

/** Parses the arguments. @returns what the command does, with its output. Errors: what is wrong, and the usage */
function readCommand(args: readonly string[]): (dataSource: DataSource, settings: Settings) => Promise<string> {
  switch (args[0]) {
    case 'find': {
      const subject = readFindQuery(args);
      return async (dataSource) => {
        const output = await findUsers(dataSource, subject);
        if (output === null) throw new Error(`There is no user "${subject}"`);
        return output;
      };
    }
    case 'audit': {
      const query = readAuditQuery(args);
      return (dataSource) => showAudit(dataSource, query);
    }
    case 'close-subject': {
      const [, subject = ''] = args;
      return (dataSource) => findUserToClose(dataSource, subject);
    }
    case 'close': {
      const command = readCloseCommand(args);
      return (dataSource, settings) => close(dataSource, settings, command);
    }
    default: {
      const command = readAdminArguments(args);
      return (dataSource, settings) => setFlags(dataSource, settings, command);
    }
  }
}

async function setFlags(dataSource: DataSource, settings: Settings, command: AdminCommand): Promise<string> {
  const { username, change, reason } = command;
  const publicUrl = await loadAnnouncedUrl(dataSource);
  const { id: userId } = await findUser(dataSource, username);
  if (Object.keys(change).length > 0) {
    const operator = operatorName(command.operator);
    const details = flagsOf(change);
    const action = { operator, reason, command: 'user', userId, appId: null, details };
    await withConfirmation(settings, dataSource, (confirm) =>
      runAudited(dataSource, action, async () => {
        const version = await new Users(dataSource.manager, publicUrl).changeUser(userId, change);
        writeSecurityLog(operator, userId, change);
        await confirm(version);
      }),
    );
  }
  return formatFlags(dataSource, userId);
}

async function close(dataSource: DataSource, settings: Settings, command: CloseCommand): Promise<string> {
  const publicUrl = await loadAnnouncedUrl(dataSource);
  return withConfirmation(settings, dataSource, (confirm) => closeAccount({ dataSource, publicUrl, confirm }, command));
}

async function findUser(dataSource: DataSource, username: string): Promise<User> {
  const user = await findByUsername(dataSource.manager, username);
  if (user === null) throw new Error(`There is no user "${username}": usernames are written without an @`);
  return user;
}

/** Returns the records of users-service; auth-service has its own. */
async function showAudit(dataSource: DataSource, { user, ...bounds }: AuditQuery): Promise<string> {
  const userId = user === null || isId(user) ? user : (await findUser(dataSource, user)).id;
  return formatAudit(dataSource, { userId, ...bounds });
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

/** Connects to payments-service before anything is changed. */
async function withConfirmation<Result>(
  { kafka }: Settings,
  dataSource: DataSource,
  work: (confirm: (record: UsersKnown) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  if (kafka.brokers.length === 0) return work(({ key }) => awaitPublication(dataSource, key));
  const logger = createLogger({ level: 'silent', service: 'users-admin' });
  const { topicPrefix, sessionTimeoutMs } = kafka;
  const client = { clientId: `users-admin-${randomUUID()}`, principal: 'users-service' } as const;
  const address = toKafkaAddress(kafka);
  const bus = await KafkaBus.connect({ ...client, address, logger, topicPrefix, sessionTimeoutMs });
  try {
    return await work((record) => awaitPaymentsReplica(new MessageClient(bus), record));
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
  new SecurityLog({ logger }).write('operator_flags_set', { userId, operator, flags: flagsOf(change) });
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  const isStored = error instanceof SettleError && error.code === 'outcome_unknown';
  process.exitCode = isStored ? DONE_LATER : NOT_DONE;
}
