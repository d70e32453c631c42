import type { NewApp } from './admin-arguments.js';
import { awaitTokens, endAccessOf, findUser, type OperatorContext } from './operator-context.js';

const ADD_APP = `
  insert into apps (client_id, name, description, site_url, redirect_urls, owner_id) values ($1, $2, $3, $4, $5, $6)
  on conflict do nothing returning client_id`;
const SUSPEND = `
  with changed as (
    update apps set suspended_at = coalesce(suspended_at, now()) where client_id = $1 and deleted_at is null
    returning name)
  select name from changed`;
/** Returns no row if there is no such app. */
const RESUME = `
  with app as (select client_id, suspended_at from apps where client_id = $1 and deleted_at is null for update),
  changed as (update apps set suspended_at = null from app where apps.client_id = app.client_id)
  select suspended_at is not null as "wasSuspended" from app`;

/**
 * Creates an app with a client_id of the operator's choice, for clients with a hard-coded one. Its owner creates the
 * secret at `/developers`. Returns the command's output. Errors: a line for the operator.
 */
export async function makeApp({ dataSource, log, audited }: OperatorContext, app: NewApp): Promise<string> {
  const { clientId, ownerUsername, details } = app;
  const { userId } = await findUser(dataSource, ownerUsername);
  const { name, description, siteUrl, redirectUrls } = details;
  const values = [clientId, name, description, siteUrl, redirectUrls, userId];
  await audited({ userId, appId: clientId, details: { name } }, async () => {
    const added = await dataSource.query<object[]>(ADD_APP, values);
    if (added.length === 0)
      throw new Error(`Another app already has the client_id ${clientId}. Choose a different one.`);
    log('app_registered', { userId, appId: clientId });
  });
  return `App ${clientId} belongs to ${ownerUsername}, who creates its secret at /developers\n`;
}

/**
 * Suspends an app: it gets no new tokens, its tokens are revoked and remembered consents to it are deleted. A repeated
 * run revokes the remaining ones. Returns the command's output once every gateway knows. Errors: a line for the
 * operator; `outcome_unknown` if a gateway learns of it too late.
 */
export async function suspendApp({ dataSource, log, audited }: OperatorContext, appId: string): Promise<string> {
  const count = await audited({ appId }, async () => {
    // Waits for requests that are issuing tokens and refuses later ones, so the revocation below covers every token.
    const suspended = await dataSource.query<object[]>(SUSPEND, [appId]);
    if (suspended.length === 0) throw createUnknownAppError(appId);
    const ended = await endAccessOf(dataSource, { appId });
    log('operator_app_suspended', { appId, count: ended });
    await awaitTokens(dataSource, { appId });
    return ended;
  });
  return `App ${appId} is suspended: ${count} authorizations have ended, with all their tokens\n`;
}

/** Ends the suspension of an app. Revoked tokens stay revoked. Errors: a line for the operator. */
export async function resumeApp({ dataSource, log, audited }: OperatorContext, appId: string): Promise<string> {
  const wasSuspended = await audited({ appId }, async () => {
    const [app] = await dataSource.query<{ wasSuspended: boolean }[]>(RESUME, [appId]);
    if (app === undefined) throw createUnknownAppError(appId);
    if (app.wasSuspended) log('operator_app_resumed', { appId });
    return app.wasSuspended;
  });
  if (!wasSuspended) return `App ${appId} is not suspended\n`;
  return `App ${appId} may ask its users again; its former tokens stay revoked\n`;
}

function createUnknownAppError(appId: string): Error {
  return new Error(`There is no app with the client_id "${appId}"`);
}
