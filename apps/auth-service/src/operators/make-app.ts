import type { NewApp } from './admin-arguments.js';
import { findUser, type OperatorContext } from './operator-context.js';

const ADD_APP = `
  insert into apps (client_id, name, description, site_url, redirect_urls, owner_id) values ($1, $2, $3, $4, $5, $6)
  on conflict do nothing returning client_id`;

/**
 * Creates an app with a client_id of the operator's choice, for clients with a hard-coded one. Its owner creates the
 * secret at `/developers`. Returns the command's output. Errors: a line for the operator.
 */
export async function makeApp({ dataSource, log }: OperatorContext, app: NewApp): Promise<string> {
  const { clientId, ownerUsername, details } = app;
  const { userId } = await findUser(dataSource, ownerUsername);
  const { name, description, siteUrl, redirectUrls } = details;
  const values = [clientId, name, description, siteUrl, redirectUrls, userId];
  const added = await dataSource.query<object[]>(ADD_APP, values);
  if (added.length === 0) throw new Error(`Another app already has the client_id ${clientId}. Choose a different one.`);
  log('app_registered', { userId, appId: clientId });
  return `App ${clientId} belongs to ${ownerUsername}, who creates its secret at /developers\n`;
}
