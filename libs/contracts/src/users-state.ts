import { eventContract } from './message.js';
import { TOPICS } from './topics.js';

/** The eight fields of a person that payments show. `dateJoinedUs` is microseconds since 1970. */
export interface PersonCard {
  readonly id: string;
  readonly username: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly displayName: string;
  readonly about: string;
  readonly profilePictureUrl: string;
  readonly dateJoinedUs: number;
}

export type Audience = 'public' | 'friends' | 'private';
export type AddressKind = 'email' | 'phone';

/** An address its owner has proven. `value` is normalised: e-mails in lower case, phones in E.164. */
export interface ProvenAddress {
  readonly kind: AddressKind;
  readonly value: string;
  readonly provenAtUs: number;
}

/** Record of `users.state.v1` for one person. A record is whole: it replaces every earlier one of its key. */
export interface UserRecord {
  readonly kind: 'user';
  readonly version: number;
  readonly card: PersonCard;
  readonly defaultAudience: Audience;
  readonly isBusiness: boolean;
  readonly isFrozen: boolean;
  /** A verified source that a payment may be charged to when the balance does not cover it. */
  readonly fundingSourceId: string | null;
  readonly addresses: readonly ProvenAddress[];
}

/** Record of `users.state.v1` for two people; `low` is the smaller id. */
export interface PairRecord {
  readonly kind: 'pair';
  readonly version: number;
  readonly low: string;
  readonly high: string;
  readonly areFriends: boolean;
  readonly lowTrustsHigh: boolean;
  readonly highTrustsLow: boolean;
  readonly lowBlocksHigh: boolean;
  readonly highBlocksLow: boolean;
}

export type UsersStateRecord = UserRecord | PairRecord;

/** The key under which the whole record of a pair or a person stands. */
export function usersStateKey(record: UsersStateRecord): string {
  return record.kind === 'user' ? `user:${record.card.id}` : `pair:${record.low}:${record.high}`;
}

/** Keyed by `usersStateKey`. */
export const usersState = eventContract<UsersStateRecord>(TOPICS.usersState, 'users.state');
