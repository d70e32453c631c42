import type { UserStatus } from '@settle/contracts';

/** An event of a user's stream. */
export interface UserEvent {
  readonly type: UserEventType;
  readonly data: {
    /** When the ledger took it in, in microseconds since 1970. */
    readonly atUs: number;
    /** When the user joined, in microseconds since 1970; the same in all events of the user. */
    readonly joinedAtUs: number;
  };
}

export type UserEventType = keyof typeof STATUS_AFTER;

const STATUS_AFTER = {
  UserJoined: 'active',
  UserFrozen: 'frozen',
  UserThawed: 'active',
  UserClosed: 'closed',
} as const satisfies Record<string, UserStatus>;

/** Returns the status of a user after an event. */
export const statusAfter = (type: UserEventType): UserStatus => STATUS_AFTER[type];

/**
 * Returns the type of the next event on the way from the recorded status to that of the user's record; null if the record
 * is reached. A closed account stays closed.
 * @param recorded status after the newest event of the user; null before the first one
 */
export function nextUserEvent(recorded: UserStatus | null, current: UserStatus): UserEventType | null {
  if (recorded === null) return 'UserJoined';
  if (recorded === current || recorded === 'closed') return null;
  const types = { active: 'UserThawed', frozen: 'UserFrozen', closed: 'UserClosed' } as const;
  return types[current];
}
