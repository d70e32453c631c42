import { SettingsError, readSettings } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { SecurityLog, createLogger, operatorName } from '@settle/observability';
import { checkServer, createDataSource } from '@settle/postgres';
import { readAdminArguments, type AdminCommand } from './admin-arguments.js';
import { allowsPlainHttp } from './authorize/http-redirects.js';
import { endAccess } from './operators/end-access.js';
import { freezeReading } from './operators/freeze-reading.js';
import { makeApp } from './operators/make-app.js';
import type { OperatorContext } from './operators/operator-context.js';
import { resumeApp, suspendApp } from './operators/suspend-app.js';

const NOT_DONE = 1;
const DONE_LATER = 2;

/**
 * `node dist/admin.js suspend-app 1112`: what an operator decides about apps, sessions and tokens. Settings: those of
 * auth-service. Ends with 0 once the gateways have been told, 2 when it is stored and they have not yet, 1 when nothing
 * was changed.
 */
async function main(args: readonly string[]): Promise<void> {
  const settings = readSettings(process.env);
  const command = readAdminArguments(args, allowsPlainHttp(settings));
  const { databaseUrl } = settings;
  if (databaseUrl === null) throw new SettingsError(['DATABASE_URL: it is needed here and not set']);
  await checkServer(databaseUrl);
  const dataSource = await createDataSource({ name: 'auth-admin', url: databaseUrl, entities: [] }).initialize();
  try {
    // Standard output is for the operator.
    const logger = createLogger({ level: 'info', service: 'auth-admin', stream: process.stderr });
    const security = new SecurityLog({ logger });
    const operator = operatorName(command.operator);
    const log: OperatorContext['log'] = (event, facts) => security.write(event, { ...facts, operator });
    process.stdout.write(await run({ dataSource, log }, command));
  } finally {
    await dataSource.destroy();
  }
}

/** Returns what to print. */
function run(tools: OperatorContext, command: AdminCommand): Promise<string> {
  switch (command.kind) {
    case 'app':
      return makeApp(tools, command.app);
    case 'suspend-app':
      return suspendApp(tools, command.clientId);
    case 'resume-app':
      return resumeApp(tools, command.clientId);
    case 'end-sessions':
      return endAccess(tools, command.username);
    case 'user':
      return freezeReading(tools, command.username, command.isFrozenForReading);
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  const isStored = error instanceof SettleError && error.code === 'outcome_unknown';
  process.exitCode = isStored ? DONE_LATER : NOT_DONE;
}
