import { waitForRevocations } from './wait-for-revocations.js';
import { findUser, type OperatorContext } from './operator-context.js';

const FREEZE = `
  with changed as (
    update credentials set reading_frozen_at = now() where user_id = $1 and reading_frozen_at is null returning user_id)
  select user_id from changed`;
const UNFREEZE = `
  with changed as (
    update credentials set reading_frozen_at = null where user_id = $1 and reading_frozen_at is not null
    returning user_id)
  select user_id from changed`;
/** Runs after the freeze is committed: every token whose check could have missed the freeze is found here. */
const RECHECK_TOKENS = `
  insert into token_rechecks (sha256)
  select sha256 from tokens
  where user_id = $1 and expires_at > now() and (revoked_at is null or revoked_at > now())`;
const READ = 'select reading_frozen_at is not null as "isFrozen" from credentials where user_id = $1';

/**
 * Freezes or unfreezes an account for reading. While it is frozen no page and no token of the user works. users-service
 * freezes payments. A repeated freeze notifies the gateways again. Returns the command's output once every gateway
 * checks the tokens anew. Errors: a line for the operator; `outcome_unknown` if a gateway learns of it too late.
 * @param isFrozen null: only print the state
 */
export async function freezeReading(
  { dataSource, log }: OperatorContext,
  typed: string,
  isFrozen: boolean | null,
): Promise<string> {
  const { userId } = await findUser(dataSource, typed);
  if (isFrozen !== null) {
    const changed = await dataSource.query<object[]>(isFrozen ? FREEZE : UNFREEZE, [userId]);
    if (changed.length > 0) log('operator_flags_set', { userId, flags: { 'frozen-for-reading': isFrozen } });
  }
  if (isFrozen === true) {
    await dataSource.query(RECHECK_TOKENS, [userId]);
    await waitForRevocations(dataSource, { userId });
  }
  const [state] = await dataSource.query<{ isFrozen: boolean }[]>(READ, [userId]);
  return `  frozen-for-reading ${state?.isFrozen === true ? 'yes' : 'no'}\n`;
}
