import { isId, type CloseCommand, type UsersKnown } from '@settle/contracts';
import { operatorName } from '@settle/observability';
import { runAudited } from '@settle/postgres';
import type { DataSource } from 'typeorm';
import { User } from '../storage/user.entity.js';
import { closeUser } from '../users/close-user.js';
import { Users, findByUsername } from '../users/users.js';

const US_PER_MS = 1_000;

/** Returns the id of the user whose account is to be closed. Error: there is no such user. */
export async function findUserToClose({ manager }: DataSource, subject: string): Promise<string> {
  const byId = isId(subject) ? await manager.findOneBy(User, { id: subject }) : null;
  const user = byId ?? (await findByUsername(manager, subject));
  if (user === null) throw new Error(`There is no user "${subject}": write the id, or the username without an @`);
  return user.id;
}

export interface Closing {
  readonly dataSource: DataSource;
  /** Part of the picture links in records. */
  readonly publicUrl: string;
  /** Waits until payments-service decides by a record. */
  readonly confirm: (record: UsersKnown) => Promise<void>;
}

/**
 * Takes the steps `freeze` and `profile` of `CLOSE_STEPS`. Returns the command's output. Errors: the database's;
 * `outcome_unknown` if payments-service does not have the record in time.
 */
export async function closeAccount(closing: Closing, command: CloseCommand): Promise<string> {
  const { dataSource, publicUrl, confirm } = closing;
  const { step, userId, reason } = command;
  const operator = operatorName(command.operator);
  const action = { operator, reason, command: `close ${step}`, userId, appId: null, details: {} };
  const isFreeze = step === 'freeze';
  await runAudited(dataSource, action, async () => {
    const { closedAtUs } = await dataSource.manager.findOneByOrFail(User, { id: userId });
    // A closed account is frozen.
    if (isFreeze && closedAtUs !== null) return;
    const known = isFreeze
      ? await new Users(dataSource.manager, publicUrl).changeUser(userId, { isFrozen: true })
      : await closeUser(dataSource.manager, userId, publicUrl, Date.now() * US_PER_MS);
    await confirm(known);
  });
  return isFreeze ? '  frozen\n' : '  the profile is erased, and the account is closed\n';
}
