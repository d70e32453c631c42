import type { AddressKind, PairRecord, UserRecord, UsersStateRecord } from '@settle/contracts';
import type { OwnedAddress } from './save-records.js';

/** Two people and what is between them, as known at one moment. */
export interface TwoPeople {
  readonly one: UserRecord | null;
  readonly other: UserRecord | null;
  /** Null when they never met. */
  readonly pair: PairRecord | null;
}

/** The payments service's own copy of people, friendships and addresses, kept from `users.state.v1`. */
export interface KnownPeople {
  /** Whether anybody is known at all. */
  isFilled(): Promise<boolean>;
  user(userId: string): Promise<UserRecord | null>;
  /** All of them, in no order; those that nobody knows are missing. */
  users(userIds: Iterable<string>): Promise<Map<string, UserRecord>>;
  two(userId: string, otherId: string): Promise<TwoPeople>;
  /**
   * Who has proven this normalised address last; null when nobody has, or when the user `forUserId`, who sends something
   * to it, may not learn that.
   */
  ownerOf(kind: AddressKind, value: string, forUserId: string): Promise<string | null>;
  /** Takes in whole records, older ones than known ignored, in one transaction. @returns newly proven addresses */
  save(records: readonly UsersStateRecord[]): Promise<OwnedAddress[]>;
}
