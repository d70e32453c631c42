import { endAllAuthorizations } from './end-all-authorizations.js';
import { untilGatewaysAreTold } from './gateways-told.js';
import { findUser, type OperatorCommand } from './operator-command.js';

/** Comes first, and waits for whoever relies on one: what comes of that is ended with the rest. */
const FORGET_CONSENTS = 'delete from consents where user_id = $1';
const FORGET_BROWSERS = 'delete from known_browsers where user_id = $1';
const END_SESSIONS = `
  with ended as (delete from sessions where user_id = $1 returning user_id) select count(*)::int as count from ended`;

/**
 * Ends every session and token of a user, and forgets the consents that would need no question and the browsers that are
 * known. The user signs in again with the same password. Returns what to print once every gateway has been told. Errors: a
 * line for the operator; `outcome_unknown` when gateways are told late.
 */
export async function endAccess({ dataSource, log }: OperatorCommand, typed: string): Promise<string> {
  const { userId, username } = await findUser(dataSource, typed);
  await dataSource.query(FORGET_CONSENTS, [userId]);
  const [sessions] = await dataSource.query<{ count: number }[]>(END_SESSIONS, [userId]);
  await dataSource.query(FORGET_BROWSERS, [userId]);
  const count = await endAllAuthorizations(dataSource, { userId });
  log('operator_access_ended', { userId, count });
  await untilGatewaysAreTold(dataSource, { userId });
  return `${username} (${userId}): ${sessions?.count ?? 0} sessions and ${count} authorizations of apps have ended\n`;
}
