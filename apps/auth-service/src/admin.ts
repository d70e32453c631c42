import { SettingsError, readSettings } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { SecurityLog, createLogger, operatorName } from '@settle/observability';
import { checkServer, createDataSource } from '@settle/postgres';
import { parseAdminArguments, type AdminCommand } from './operators/admin-arguments.js';
import { allowsPlainHttp } from './authorize/http-redirects.js';
import { endAccess } from './operators/end-access.js';
import { freezeReading } from './operators/freeze-reading.js';
import { makeApp } from './operators/make-app.js';
import type { OperatorContext } from './operators/operator-context.js';
import { resumeApp, suspendApp } from './operators/suspend-app.js';

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
    // Logs go to standard error; standard output is for the result.
    const logger = createLogger({ level: 'info', service: 'auth-admin', stream: process.stderr });
    const security = new SecurityLog({ logger });
    const operator = operatorName(command.operator);
    const log: OperatorContext['log'] = (event, facts) => security.write(event, { ...facts, operator });
    process.stdout.write(await run({ dataSource, log }, command));
  } finally {
    await dataSource.destroy();
  }
}

/** Runs the command and returns the text for standard output. */
function run(context: OperatorContext, command: AdminCommand): Promise<string> {
  switch (command.kind) {
    case 'app':
      return makeApp(context, command.app);
    case 'suspend-app':
      return suspendApp(context, command.clientId);
    case 'resume-app':
      return resumeApp(context, command.clientId);
    case 'end-sessions':
      return endAccess(context, command.username);
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
