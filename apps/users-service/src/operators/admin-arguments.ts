import { readUserCommand, type UserCommand, type UserFlagName } from '@settle/contracts';
import type { UserChange } from '../users/users.js';

/** The flags of a user that users-service stores, by their names on the command line. */
export const USER_FLAGS = {
  business: 'isBusiness',
  'legacy-access': 'legacyAccess',
  verified: 'verified',
  frozen: 'isFrozen',
} as const satisfies Partial<Record<UserFlagName, keyof UserChange>>;

type Field = (typeof USER_FLAGS)[keyof typeof USER_FLAGS];

export interface AdminCommand extends Pick<UserCommand, 'username' | 'operator' | 'reason'> {
  /** Absent without flags: the user is only shown. */
  readonly change: Pick<UserChange, Field>;
}

/** Parses the arguments of the command. Errors: those of `readUserCommand`. */
export function readAdminArguments(args: readonly string[]): AdminCommand {
  const { username, operator, reason, flags } = readUserCommand(args);
  const given = Object.keys(flags).filter((name) => name in USER_FLAGS) as (keyof typeof USER_FLAGS)[];
  return {
    username,
    operator,
    reason,
    change: Object.fromEntries(given.map((name) => [USER_FLAGS[name], flags[name]])),
  };
}

/** Returns the changed flags by their names on the command line. */
export function flagsOf(change: AdminCommand['change']): Readonly<Record<string, boolean>> {
  const changed = Object.entries(USER_FLAGS).filter(([, field]) => change[field] !== undefined);
  return Object.fromEntries(changed.map(([name, field]) => [name, change[field] === true]));
}
