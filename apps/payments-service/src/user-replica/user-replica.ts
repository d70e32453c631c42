import type { AddressKind, PairRecord, UserRecord } from '@settle/contracts';

/** Two users and the relation between them at one moment. */
export interface TwoUsers {
  readonly one: UserRecord | null;
  readonly other: UserRecord | null;
  /** Null if they have no relation. */
  readonly pair: PairRecord | null;
}

/** This service's replica of users, friendships and addresses, as payments of one environment see it. */
export interface UserReplica {
  findUser(userId: string): Promise<UserRecord | null>;
  findTwo(userId: string, otherId: string): Promise<TwoUsers>;
  /**
   * Returns the user who verified this normalized address last; null if no user has, or if `forUserId`, who sends a
   * payment to the address, may not learn it.
   */
  findOwner(kind: AddressKind, value: string, forUserId: string): Promise<string | null>;
}

/** Returns the users by id; unknown ids are missing. */
export async function findUsers(replica: UserReplica, userIds: Iterable<string>): Promise<Map<string, UserRecord>> {
  const found = await Promise.all([...new Set(userIds)].map((userId) => replica.findUser(userId)));
  return new Map(found.flatMap((user) => (user === null ? [] : [[user.card.id, user] as const])));
}
