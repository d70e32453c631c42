import { untilGatewaysAreTold } from './gateways-told.js';
import { findUser, type OperatorCommand } from './operator-command.js';

const FREEZE = `
  with changed as (
    update credentials set reading_frozen_at = now() where user_id = $1 and reading_frozen_at is null returning user_id)
  select user_id from changed`;
const UNFREEZE = `
  with changed as (
    update credentials set reading_frozen_at = null where user_id = $1 and reading_frozen_at is not null
    returning user_id)
  select user_id from changed`;
/** After the freeze is committed: a check that has not seen it was of a token that is found here. */
const RECHECK_TOKENS = `
  insert into token_rechecks (sha256)
  select sha256 from tokens
  where user_id = $1 and expires_at > now() and (revoked_at is null or revoked_at > now())`;
const SHOW = 'select reading_frozen_at is not null as "isFrozen" from credentials where user_id = $1';

/**
 * Freezes an account for reading, or ends that: no page and no token of the user works meanwhile, and afterwards both do
 * again. Freezing payments is up to users-service. May be run again, and then tells the gateways again. Returns what to
 * print, once every gateway asks anew about the tokens. Errors: a line for the operator; `outcome_unknown` when gateways
 * are told late.
 * @param isFrozen null: the account is only shown
 */
export async function freezeReading(
  { dataSource, log }: OperatorCommand,
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
    await untilGatewaysAreTold(dataSource, { userId });
  }
  const [shown] = await dataSource.query<{ isFrozen: boolean }[]>(SHOW, [userId]);
  return `  frozen-for-reading ${shown?.isFrozen === true ? 'yes' : 'no'}\n`;
}
