import type { NewApp } from '../admin-arguments.js';
import { findUser, type OperatorCommand } from './operator-command.js';

const ADD_APP = `
  insert into apps (client_id, name, description, site_url, redirect_urls, owner_id) values ($1, $2, $3, $4, $5, $6)
  on conflict do nothing returning client_id`;

/**
 * Makes an app with a client_id of the operator's choice, for clients that hard-code theirs. Its owner makes the secret at
 * `/developers`. Returns what to print. Errors: a line for the operator.
 */
export async function makeApp({ dataSource, log }: OperatorCommand, app: NewApp): Promise<string> {
  const { clientId, ownerUsername, details } = app;
  const { userId } = await findUser(dataSource, ownerUsername);
  const { name, description, siteUrl, redirectUrls } = details;
  const values = [clientId, name, description, siteUrl, redirectUrls, userId];
  const added = await dataSource.query<object[]>(ADD_APP, values);
  if (added.length === 0) throw new Error(`Another app has the client_id ${clientId}`);
  log('app_registered', { userId, appId: clientId });
  return `App ${clientId} belongs to ${ownerUsername}, who makes its secret at /developers\n`;
}
