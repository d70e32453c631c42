import 'reflect-metadata';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  Equals,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  MaxLength,
  Min,
  NotContains,
  ValidateNested,
} from 'class-validator';
import { compareIds, isId } from './ids.js';
import { IsId, IsLine, IsNested } from './field-validators.js';
import { eventContract } from './message.js';
import { TOPICS } from './topics.js';

const LONGEST_NAME = 200;
const LONGEST_ABOUT = 2_000;
const LONGEST_URL = 2_048;
const MAX_ADDRESSES = 100;
export const ADDRESS_KINDS = ['email', 'phone'] as const;

/** The eight fields of a person that payments show. `dateJoinedUs` is microseconds since 1970. */
export class UserCard {
  @IsId()
  readonly id: string;

  @IsLine(LONGEST_NAME, 0)
  readonly username: string;

  @IsLine(LONGEST_NAME, 0)
  readonly firstName: string;

  @IsLine(LONGEST_NAME, 0)
  readonly lastName: string;

  @IsLine(2 * LONGEST_NAME, 0)
  readonly displayName: string;

  @IsString()
  // Some that were stored before hold other control characters.
  @NotContains('\0')
  @MaxLength(LONGEST_ABOUT)
  readonly about: string;

  @IsLine(LONGEST_URL, 0)
  readonly profilePictureUrl: string;

  @IsInt()
  readonly dateJoinedUs: number;
}

export const AUDIENCES = ['public', 'friends', 'private'] as const;
export type Audience = (typeof AUDIENCES)[number];
export type AddressKind = (typeof ADDRESS_KINDS)[number];

/** An address its owner has proven. `value` is normalised: e-mails in lower case, phones in E.164. */
export class VerifiedAddress {
  @IsIn(ADDRESS_KINDS)
  readonly kind: AddressKind;

  @IsLine(320)
  readonly value: string;

  @IsInt()
  readonly provenAtUs: number;
}

/** The epoch of the records that were made before records had one. */
export const FIRST_RECORD_EPOCH = 1;

/** Record of `users.state.v1` for one person. A record is whole: it replaces every earlier one of its key. */
export class UserRecord {
  @Equals('user')
  readonly kind: 'user';

  /** Rises with each restore of the database that the records come from. Absent: `FIRST_RECORD_EPOCH`. */
  @IsOptional()
  @IsInt()
  @Min(FIRST_RECORD_EPOCH)
  readonly epoch?: number;

  /** Counts the record's changes. Records of one key are ordered by epoch, then by version. */
  @IsInt()
  @Min(1)
  readonly version: number;

  @IsNested(() => UserCard)
  readonly card: UserCard;

  @IsIn(AUDIENCES)
  readonly defaultAudience: Audience;

  @IsBoolean()
  readonly isBusiness: boolean;

  @IsBoolean()
  readonly isFrozen: boolean;

  /** A verified source that a payment may be charged to when the balance does not cover it. */
  @IsOptional()
  @IsLine(LONGEST_NAME)
  readonly fundingSourceId: string | null;

  @IsArray()
  @ArrayMaxSize(MAX_ADDRESSES)
  @ValidateNested({ each: true })
  @Type(() => VerifiedAddress)
  readonly addresses: readonly VerifiedAddress[];
}

/** Record of `users.state.v1` for two people; `low` is the smaller id. */
export class PairRecord {
  @Equals('pair')
  readonly kind: 'pair';

  /** As a user's. */
  @IsOptional()
  @IsInt()
  @Min(FIRST_RECORD_EPOCH)
  readonly epoch?: number;

  @IsInt()
  @Min(1)
  readonly version: number;

  @IsId()
  readonly low: string;

  @IsId()
  readonly high: string;

  @IsBoolean()
  readonly areFriends: boolean;

  @IsBoolean()
  readonly lowTrustsHigh: boolean;

  @IsBoolean()
  readonly highTrustsLow: boolean;

  /** The most that high, whom low trusts, may charge low unasked within 24 hours, cents; null or absent: no limit. */
  @IsOptional()
  @IsInt()
  @Min(1)
  readonly lowAmountPerDayCents?: number | null;

  /** The same the other way round. */
  @IsOptional()
  @IsInt()
  @Min(1)
  readonly highAmountPerDayCents?: number | null;

  @IsBoolean()
  readonly lowBlocksHigh: boolean;

  @IsBoolean()
  readonly highBlocksLow: boolean;
}

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

/** The key under which the whole record of a pair or a person stands. */
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
