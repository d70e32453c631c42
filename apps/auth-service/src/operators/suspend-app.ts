import { revokeAllAuthorizations } from './revoke-all-authorizations.js';
import { waitForRevocations } from './wait-for-revocations.js';
import type { OperatorContext } from './operator-context.js';

const SUSPEND = `
  with changed as (
    update apps set suspended_at = coalesce(suspended_at, now()) where client_id = $1 and deleted_at is null
    returning name)
  select name from changed`;
const RESUME = `
  with changed as (
    update apps set suspended_at = null where client_id = $1 and deleted_at is null and suspended_at is not null
    returning name)
  select name from changed`;
const FIND = 'select name from apps where client_id = $1 and deleted_at is null';
const DELETE_CONSENTS = 'delete from consents where app_id = $1';

type AppRows = readonly { readonly name: string }[];

/**
 * Suspends an app: it gets no new tokens, its tokens are revoked and remembered consents to it are deleted. A repeated
 * run revokes the remaining ones. Returns the command's output once every gateway knows. Errors: a line for the
 * operator; `outcome_unknown` if a gateway learns of it too late.
 */
export async function suspendApp({ dataSource, log }: OperatorContext, appId: string): Promise<string> {
  // Waits for requests that are issuing tokens and refuses later ones, so the revocation below covers every token.
  const [app] = await dataSource.query<AppRows>(SUSPEND, [appId]);
  if (app === undefined) throw createUnknownAppError(appId);
  await dataSource.query(DELETE_CONSENTS, [appId]);
  const count = await revokeAllAuthorizations(dataSource, { appId });
  log('operator_app_suspended', { appId, count });
  await waitForRevocations(dataSource, { appId });
  return `App ${appId} is suspended: ${count} authorizations have ended, with all their tokens\n`;
}

/** Ends the suspension of an app. Revoked tokens stay revoked. Errors: a line for the operator. */
export async function resumeApp({ dataSource, log }: OperatorContext, appId: string): Promise<string> {
  const [resumed] = await dataSource.query<AppRows>(RESUME, [appId]);
  if (resumed === undefined) {
    if ((await dataSource.query<AppRows>(FIND, [appId])).length === 0) throw createUnknownAppError(appId);
    return `App ${appId} is not suspended\n`;
  }
  log('operator_app_resumed', { appId });
  return `App ${appId} may ask its users again; its former tokens stay revoked\n`;
}

function createUnknownAppError(appId: string): Error {
  return new Error(`There is no app with the client_id "${appId}"`);
}
