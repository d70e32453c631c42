import { LIMITS, SettingsError, readSettings, type Settings } from '@settle/config';
import { SecurityLog, createLogger } from '@settle/observability';
import pg from 'pg';
import { readAppArguments, type NewApp } from './admin-arguments.js';
import { allowsPlainHttp } from './authorize/http-redirects.js';

const FIND_OWNER = 'select user_id as "ownerId" from credentials where lower(username) = lower($1)';
const ADD_APP = `
  insert into apps (client_id, name, description, site_url, redirect_urls, owner_id) values ($1, $2, $3, $4, $5, $6)
  on conflict do nothing`;

/**
 * `node dist/admin.js app 1112 --owner alice ...`: makes an app with a client_id of the operator's choice, for clients
 * that hard-code theirs. Its owner makes the secret at `/developers`. Settings: those of auth-service.
 */
async function addApp(
  { clientId, ownerUsername, details }: NewApp,
  { databaseUrl, logLevel: level }: Settings,
): Promise<void> {
  if (databaseUrl === null) throw new SettingsError(['DATABASE_URL: it is needed here and not set']);
  const { connectTimeoutMs: connectionTimeoutMillis } = LIMITS.postgres;
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ ownerId: string }>(FIND_OWNER, [ownerUsername]);
    const [owner] = rows;
    if (owner === undefined) {
      throw new Error(`There is no user "${ownerUsername}": usernames are written without an @`);
    }
    const { name, description, siteUrl, redirectUrls } = details;
    const values = [clientId, name, description, siteUrl, redirectUrls, owner.ownerId];
    const { rowCount } = await client.query(ADD_APP, values);
    if (rowCount === 0) throw new Error(`Another app has the client_id ${clientId}`);
    const logger = createLogger({ level, service: 'auth-admin', stream: process.stderr });
    new SecurityLog({ logger }).write('app_registered', { userId: owner.ownerId, appId: clientId });
  } finally {
    await client.end();
  }
  process.stdout.write(`App ${clientId} belongs to ${ownerUsername}, who makes its secret at /developers\n`);
}

try {
  const settings = readSettings(process.env);
  await addApp(readAppArguments(process.argv.slice(2), allowsPlainHttp(settings)), settings);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
