import type { PairRecord, UserCard, VerifiedAddress, UserRecord } from '@settle/contracts';
import type { Pair } from '../storage/pair.entity.js';
import type { User } from '../storage/user.entity.js';

/** Columns of a user that are public. */
export type PublicUser = Pick<
  User,
  'id' | 'username' | 'firstName' | 'lastName' | 'displayName' | 'about' | 'pictureUrl' | 'joinedAtUs'
>;

/** Returns one or two letters that replace a missing picture. */
export function initialsOf(user: Pick<User, 'firstName' | 'lastName' | 'displayName' | 'username'>): string {
  const fromNames = firstLetter(user.firstName) + firstLetter(user.lastName);
  return fromNames || firstLetter(user.displayName) || firstLetter(user.username);
}

function firstLetter(text: string): string {
  const letter = /[\p{L}\p{N}]/u.exec(text)?.[0] ?? '';
  // The capital form of one letter may be two, as of ß.
  return [...letter.toUpperCase()][0] ?? '';
}

/** @param publicUrl public URL of the product, without a trailing slash */
export function toCard(user: PublicUser, publicUrl: string): UserCard {
  return {
    id: user.id,
    username: user.username,
    firstName: user.firstName,
    lastName: user.lastName,
    displayName: user.displayName,
    about: user.about,
    profilePictureUrl: user.pictureUrl ?? `${publicUrl}/pictures/${encodeURIComponent(initialsOf(user))}.svg`,
    dateJoinedUs: user.joinedAtUs,
  };
}

/** Values that the records of one transaction share. */
export interface RecordTerms {
  readonly epoch: number;
  /** Public URL of the product, without a trailing slash. */
  readonly publicUrl: string;
}

/** Returns the complete published record of a user. */
export function toUserRecord(
  user: User,
  addresses: readonly VerifiedAddress[],
  { epoch, publicUrl }: RecordTerms,
): UserRecord {
  return {
    kind: 'user',
    epoch,
    version: user.version,
    card: toCard(user, publicUrl),
    defaultAudience: user.defaultAudience,
    isBusiness: user.isBusiness,
    isFrozen: user.isFrozen,
    fundingSourceId: user.fundingSourceId,
    addresses,
  };
}

/** Returns the complete published record of a pair. */
export function toPairRecord(pair: Pair, epoch: number): PairRecord {
  return {
    kind: 'pair',
    epoch,
    version: pair.version,
    low: pair.low,
    high: pair.high,
    areFriends: pair.areFriends,
    lowTrustsHigh: pair.lowTrustsHigh,
    highTrustsLow: pair.highTrustsLow,
    lowAmountPerDayCents: pair.lowAmountPerDayCents,
    highAmountPerDayCents: pair.highAmountPerDayCents,
    lowBlocksHigh: pair.lowBlocksHigh,
    highBlocksLow: pair.highBlocksLow,
  };
}
