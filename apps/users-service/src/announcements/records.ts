import type { UserCard } from '@settle/contracts';
import type { User } from '../storage/user.entity.js';

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
  const { id, username, firstName, lastName, displayName, about } = user;
  return {
    ...{ id, username, firstName, lastName, displayName, about },
    profilePictureUrl: user.pictureUrl ?? `${publicUrl}/pictures/${encodeURIComponent(initialsOf(user))}.svg`,
    dateJoinedUs: user.joinedAtUs,
  };
}
