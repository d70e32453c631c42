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

export interface AdminCommand extends Pick<UserCommand, 'username' | 'operator'> {
  /** Absent without flags: the user is only shown. */
  readonly change: Pick<UserChange, Field>;
}

/** Parses the arguments of the command. Errors: those of `readUserCommand`. */
export function readAdminArguments(args: readonly string[]): AdminCommand {
  const { username, operator, flags } = readUserCommand(args);
  const given = Object.keys(flags).filter((name) => name in USER_FLAGS) as (keyof typeof USER_FLAGS)[];
  return { username, operator, change: Object.fromEntries(given.map((name) => [USER_FLAGS[name], flags[name]])) };
}
