import { SettleError } from '@settle/contracts';
import type { DataSource, EntityManager } from 'typeorm';
import { awaitTokens, endAccessOf, type OperatorContext } from './operator-context.js';

const DELETE_APPS = `
  with deleted as (
    update apps set deleted_at = coalesce(deleted_at, now()), secret_sha256 = null, secret_made_at = null,
      former_secret_sha256 = null, former_secret_made_at = null
    where owner_id = $1 returning client_id)
  select client_id as "appId" from deleted`;
const END_SESSIONS = 'delete from sessions where user_id = $1';
/** Every spelling under which the user may be known here, in lower case. */
const NAMES = `
  select lower(name) as name from (
    select value as name from login_addresses where user_id = $1
    union select spelling from login_addresses where user_id = $1
    union select email from new_people where user_id = $1
    union select username from credentials where user_id = $1
  ) names where name is not null`;
/** Messages to the user, and what an unfinished sign-up or a code of the user holds. */
const DELETE_BY_NAME = [
  'delete from mailbox_messages where lower(sent_to) = any($1)',
  'delete from notices where lower(sent_to) = any($1)',
  'delete from sign_ups where lower(email) = any($1) or phone = any($1) or lower(username) = any($1)',
  'delete from codes where lower(subject) = any($1)',
];
/** With the credentials go the addresses, sessions, consents, authorizations, tokens, codes of apps and trusted devices. */
const DELETE_BY_ID = [
  'delete from codes where subject = $1::text',
  'delete from app_amounts where user_id = $1',
  'delete from credentials where user_id = $1',
];

/**
 * Erases what a user needs to sign in, and what apps may do for the user; apps of the user are deleted. A repetition
 * finishes what was interrupted. Returns the command's output once every gateway refuses the user's tokens. Errors: a
 * line for the operator, also if a gateway learns of it too late.
 */
export async function eraseSignIn(context: OperatorContext, userId: string): Promise<string> {
  const { dataSource, log, audited } = context;
  return audited({ userId }, async () => {
    const apps = await dataSource.query<{ appId: string }[]>(DELETE_APPS, [userId]);
    for (const { appId } of apps) await endAccess(dataSource, { appId });
    await dataSource.query(END_SESSIONS, [userId]);
    // Gateways learn of a revoked token by its row, which is then deleted.
    const count = await endAccess(dataSource, { userId });
    await dataSource.transaction((manager) => eraseRows(manager, userId));
    log('operator_account_closed', { userId, count });
    return `  sign-in and ${count} authorizations are erased, ${apps.length} own apps are deleted\n`;
  });
}

async function endAccess(dataSource: DataSource, holder: { appId: string } | { userId: string }): Promise<number> {
  const count = await endAccessOf(dataSource, holder);
  await awaitTokens(dataSource, holder).catch((error: unknown) => {
    if (error instanceof SettleError)
      throw new Error('Gateways do not follow yet: is auth-service running? Run it again');
    throw error;
  });
  return count;
}

async function eraseRows(manager: EntityManager, userId: string): Promise<void> {
  const names = (await manager.query<{ name: string }[]>(NAMES, [userId])).map(({ name }) => name);
  for (const statement of DELETE_BY_NAME) await manager.query(statement, [names]);
  for (const statement of DELETE_BY_ID) await manager.query(statement, [userId]);
}
