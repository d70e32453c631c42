import type { AddressKind, PairRecord, UserRecord, UsersStateRecord } from '@settle/contracts';
import type { OwnedAddress } from './save-records.js';

/** Two users and the relation between them at one moment. */
export interface TwoUsers {
  readonly one: UserRecord | null;
  readonly other: UserRecord | null;
  /** Null if they have no relation. */
  readonly pair: PairRecord | null;
}

/** This service's replica of users, friendships and addresses, consumed from `users.state.v1`. */
export interface UserReplica {
  /** Whether the replica has any user. */
  isFilled(): Promise<boolean>;
  findUser(userId: string): Promise<UserRecord | null>;
  /** Returns the users by id; unknown ids are missing. */
  findUsers(userIds: Iterable<string>): Promise<Map<string, UserRecord>>;
  findTwo(userId: string, otherId: string): Promise<TwoUsers>;
  /**
   * Returns the user who verified this normalized address last; null if no user has, or if `forUserId`, who sends a
   * payment to the address, may not learn it.
   */
  findOwner(kind: AddressKind, value: string, forUserId: string): Promise<string | null>;
  /** Saves whole records in one transaction, ignoring those older than the replica's. @returns newly verified addresses */
  save(records: readonly UsersStateRecord[]): Promise<OwnedAddress[]>;
}
