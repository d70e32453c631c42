import { awaitTokens, endAccessOf, findUser, type OperatorContext } from './operator-context.js';

const DELETE_DEVICES = 'delete from known_browsers where user_id = $1';
const END_SESSIONS = `
  with ended as (delete from sessions where user_id = $1 returning user_id) select count(*)::int as count from ended`;

/** Returns the user's id if the state has changed. */
const SET_FROZEN = `
  with changed as (
    update credentials set reading_frozen_at = case when $2 then now() end
    where user_id = $1 and (reading_frozen_at is not null) <> $2 returning user_id)
  select user_id from changed`;
/** Runs after the freeze is committed: every token whose check could have missed the freeze is found here. */
const RECHECK_TOKENS = `
  insert into token_rechecks (sha256)
  select sha256 from tokens
  where user_id = $1 and expires_at > now() and (revoked_at is null or revoked_at > now())`;
const READ_FROZEN = 'select reading_frozen_at is not null as "isFrozen" from credentials where user_id = $1';

/**
 * Ends every session of a user, revokes every token, and deletes remembered consents and trusted devices. The user
 * signs in again with the same password. Returns the command's output once every gateway knows. Errors: a line for the
 * operator; `outcome_unknown` if a gateway learns of it too late.
 */
export async function endAccess(context: OperatorContext, typed: string): Promise<string> {
  const { dataSource, log, audited } = context;
  const { userId, username } = await findUser(dataSource, typed);
  const { sessions, count } = await audited({ userId }, async () => {
    const [ended] = await dataSource.query<{ count: number }[]>(END_SESSIONS, [userId]);
    await dataSource.query(DELETE_DEVICES, [userId]);
    const authorizations = await endAccessOf(dataSource, { userId });
    log('operator_access_ended', { userId, count: authorizations });
    await awaitTokens(dataSource, { userId });
    return { sessions: ended?.count ?? 0, count: authorizations };
  });
  return `${username} (${userId}): ${sessions} sessions and ${count} authorizations of apps have ended\n`;
}

/**
 * Freezes or unfreezes an account for reading. While it is frozen no page and no token of the user works. users-service
 * freezes payments. A repeated freeze notifies the gateways again. Returns the command's output once every gateway
 * checks the tokens anew. Errors: a line for the operator; `outcome_unknown` if a gateway learns of it too late.
 * @param isFrozen null: only print the state
 */
export async function freezeReading(
  { dataSource, log, audited }: OperatorContext,
  typed: string,
  isFrozen: boolean | null,
): Promise<string> {
  const { userId } = await findUser(dataSource, typed);
  if (isFrozen !== null) {
    const flags = { 'frozen-for-reading': isFrozen };
    await audited({ userId, details: flags }, async () => {
      const changed = await dataSource.query<object[]>(SET_FROZEN, [userId, isFrozen]);
      if (changed.length > 0) log('operator_flags_set', { userId, flags });
      if (!isFrozen) return;
      await dataSource.query(RECHECK_TOKENS, [userId]);
      await awaitTokens(dataSource, { userId });
    });
  }
  const [state] = await dataSource.query<{ isFrozen: boolean }[]>(READ_FROZEN, [userId]);
  return `  frozen-for-reading ${state?.isFrozen === true ? 'yes' : 'no'}\n`;
}
