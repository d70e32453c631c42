import { SettingsError, readSettings } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { SecurityLog, createLogger, operatorName } from '@settle/observability';
import { checkServer, createDataSource, runAudited } from '@settle/postgres';
import type { DataSource } from 'typeorm';
import { parseAdminArguments, type ChangeCommand } from './operators/admin-arguments.js';
import { allowsPlainHttp } from './authorize/http-redirects.js';
import { makeApp, resumeApp, suspendApp } from './operators/app-commands.js';
import { eraseSignIn } from './operators/close-account.js';
import type { OperatorContext } from './operators/operator-context.js';
import { showAudit } from './operators/show-audit.js';
import { endAccess, freezeReading } from './operators/user-commands.js';

const EXIT_NOT_CHANGED = 1;
const EXIT_NOT_CONFIRMED = 2;

/**
 * `node dist/admin.js suspend-app 1112`: operator commands for apps, sessions and tokens, with the settings of
 * auth-service. Exit codes: 0 once the gateways confirm the change, 2 if it is stored but not confirmed, 1 if nothing
 * changed.
 */
async function main(args: readonly string[]): Promise<void> {
  const settings = readSettings(process.env);
  const command = parseAdminArguments(args, allowsPlainHttp(settings));
  const { databaseUrl } = settings;
  if (databaseUrl === null) throw new SettingsError(['DATABASE_URL: it is needed here and not set']);
  await checkServer(databaseUrl);
  const dataSource = await createDataSource({ name: 'auth-admin', url: databaseUrl, entities: [] }).initialize();
  try {
    process.stdout.write(
      command.kind === 'audit'
        ? await showAudit(dataSource, command)
        : await change(createContext(dataSource, command), command),
    );
  } finally {
    await dataSource.destroy();
  }
}

function createContext(dataSource: DataSource, { kind, reason, ...command }: ChangeCommand): OperatorContext {
  // Logs go to standard error; standard output is for the result.
  const logger = createLogger({ level: 'info', service: 'auth-admin', stream: process.stderr });
  const security = new SecurityLog({ logger });
  const operator = operatorName(command.operator);
  const who = { operator, reason, command: kind };
  return {
    dataSource,
    log: (event, facts) => security.write(event, { ...facts, operator }),
    audited: ({ userId = null, appId = null, details = {} }, run) =>
      runAudited(dataSource, { ...who, userId, appId, details }, run),
  };
}

/** Runs the command and returns the text for standard output. */
function change(context: OperatorContext, command: ChangeCommand): Promise<string> {
  switch (command.kind) {
    case 'app':
      return makeApp(context, command.app);
    case 'suspend-app':
      return suspendApp(context, command.clientId);
    case 'resume-app':
      return resumeApp(context, command.clientId);
    case 'end-sessions':
      return endAccess(context, command.username);
    case 'close':
      return eraseSignIn(context, command.userId);
    case 'user':
      return freezeReading(context, command.username, command.isFrozenForReading);
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  const isStored = error instanceof SettleError && error.code === 'outcome_unknown';
  process.exitCode = isStored ? EXIT_NOT_CONFIRMED : EXIT_NOT_CHANGED;
}
