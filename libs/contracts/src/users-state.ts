import { Type } from 'class-transformer';
import { Equals, IsString, MaxLength, NotContains, ValidateNested } from 'class-validator';
import { compareIds, isId } from './ids.js';
import { eventContract } from './message.js';
import {
  atLeast,
  field,
  flag,
  id,
  integer,
  line,
  list,
  message,
  nested,
  nullable,
  oneOf,
  optional,
} from './message-fields.js';
import { TOPICS } from './topics.js';

const LONGEST_NAME = 200;
const LONGEST_ABOUT = 2_000;
const LONGEST_URL = 2_048;
const MAX_ADDRESSES = 100;
export const ADDRESS_KINDS = ['email', 'phone'] as const;

/** The eight fields of a user that payments contain. `dateJoinedUs` is microseconds since 1970. */
export class UserCard extends message({
  id: id,
  username: line(LONGEST_NAME, 0),
  firstName: line(LONGEST_NAME, 0),
  lastName: line(LONGEST_NAME, 0),
  displayName: line(2 * LONGEST_NAME, 0),
  // Texts that were stored by earlier versions may contain other control characters.
  about: field<string>(MaxLength(LONGEST_ABOUT), NotContains('\0'), IsString()),
  profilePictureUrl: line(LONGEST_URL, 0),
  dateJoinedUs: integer,
}) {}

export const AUDIENCES = ['public', 'friends', 'private'] as const;
export type Audience = (typeof AUDIENCES)[number];
export type AddressKind = (typeof ADDRESS_KINDS)[number];

/** An address that its owner has verified. `value` is normalized: e-mails in lower case, phones in E.164. */
export class VerifiedAddress extends message({
  kind: oneOf(ADDRESS_KINDS),
  value: line(320),
  provenAtUs: integer,
}) {}

/** The epoch of records from before records had an epoch. */
export const FIRST_RECORD_EPOCH = 1;

/** Record of `users.state.v1` for one user. A record is complete: it replaces every earlier one of its key. */
export class UserRecord extends message({
  kind: field<'user'>(Equals('user')),
  /** Rises with each restore of the database that the records come from. Absent: `FIRST_RECORD_EPOCH`. */
  epoch: optional(atLeast(FIRST_RECORD_EPOCH)),
  /** Counts the record's changes. Records of one key are ordered by epoch, then by version. */
  version: atLeast(1),
  card: nested(UserCard),
  defaultAudience: oneOf(AUDIENCES),
  isBusiness: flag,
  isFrozen: flag,
  /** Whether the account is closed, for ever; its card names no one. Absent: it is not. */
  isClosed: optional(flag),
  /** A verified source that a payment may be charged to when the balance does not cover it. */
  fundingSourceId: nullable(line(LONGEST_NAME)),
  addresses: list<VerifiedAddress>(
    MAX_ADDRESSES,
    Type(() => VerifiedAddress),
    ValidateNested({ each: true }),
  ),
}) {}

/** Record of `users.state.v1` for two users; `low` is the smaller id. */
export class PairRecord extends message({
  kind: field<'pair'>(Equals('pair')),
  /** As in `UserRecord`. */
  epoch: optional(atLeast(FIRST_RECORD_EPOCH)),
  version: atLeast(1),
  low: id,
  high: id,
  areFriends: flag,
  lowTrustsHigh: flag,
  highTrustsLow: flag,
  /** Largest sum that high, whom low trusts, may charge low without approval within 24 hours, in cents; null or absent: no limit. */
  lowAmountPerDayCents: optional(nullable(atLeast(1))),
  /** Largest sum that low, whom high trusts, may charge high without approval, as above. */
  highAmountPerDayCents: optional(nullable(atLeast(1))),
  lowBlocksHigh: flag,
  highBlocksLow: flag,
}) {}

export type UsersStateRecord = UserRecord | PairRecord;

/** The order of the records of one key. */
export type RecordOrder = Pick<UsersStateRecord, 'epoch' | 'version'>;

/** Returns whether `record` is older than `other`, which has the same key. */
export function isOlderRecord(record: RecordOrder, other: RecordOrder): boolean {
  const [epoch, otherEpoch] = [epochOfRecord(record), epochOfRecord(other)];
  return epoch === otherEpoch ? record.version < other.version : epoch < otherEpoch;
}

export function epochOfRecord({ epoch }: Pick<UsersStateRecord, 'epoch'>): number {
  return epoch ?? FIRST_RECORD_EPOCH;
}

/** Returns the key of the record of a user or a pair. */
export function usersStateKey(record: UsersStateRecord): string {
  return record.kind === 'user' ? `user:${record.card.id}` : `pair:${record.low}:${record.high}`;
}

/** Returns the users of a key: one, or the two of a pair with the smaller id first. Null if it is not such a key. */
export function idsOfUsersStateKey(key: string): readonly [string] | readonly [string, string] | null {
  const [kind, one = '', other = '', ...more] = key.split(':');
  if (kind === 'user' && isId(one) && key === `user:${one}`) return [one];
  const isPair = kind === 'pair' && isId(one) && isId(other) && more.length === 0;
  return isPair && compareIds(one, other) < 0 ? [one, other] : null;
}

/** Keyed by `usersStateKey`. */
export const usersState = eventContract<UsersStateRecord>(TOPICS.usersState, 'users.state', ({ kind }) =>
  kind === 'pair' ? PairRecord : UserRecord,
);
