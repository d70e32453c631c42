import { revokeAllAuthorizations } from './revoke-all-authorizations.js';
import { waitForRevocations } from './wait-for-revocations.js';
import { findUser, type OperatorContext } from './operator-context.js';

/** Runs first and waits for requests that rely on a consent, so that the authorizations they create are revoked too. */
const DELETE_CONSENTS = 'delete from consents where user_id = $1';
const DELETE_DEVICES = 'delete from known_browsers where user_id = $1';
const END_SESSIONS = `
  with ended as (delete from sessions where user_id = $1 returning user_id) select count(*)::int as count from ended`;

/**
 * Ends every session of a user, revokes every token, and deletes remembered consents and trusted devices. The user
 * signs in again with the same password. Returns the command's output once every gateway knows. Errors: a line for the
 * operator; `outcome_unknown` if a gateway learns of it too late.
 */
export async function endAccess({ dataSource, log }: OperatorContext, typed: string): Promise<string> {
  const { userId, username } = await findUser(dataSource, typed);
  await dataSource.query(DELETE_CONSENTS, [userId]);
  const [sessions] = await dataSource.query<{ count: number }[]>(END_SESSIONS, [userId]);
  await dataSource.query(DELETE_DEVICES, [userId]);
  const count = await revokeAllAuthorizations(dataSource, { userId });
  log('operator_access_ended', { userId, count });
  await waitForRevocations(dataSource, { userId });
  return `${username} (${userId}): ${sessions?.count ?? 0} sessions and ${count} authorizations of apps have ended\n`;
}
