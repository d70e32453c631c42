import type { Scope } from './auth.messages.js';
import { formatIsoDateUs } from './iso-date.js';
import { isOpen } from './scope-access.js';
import type { Profile } from './users.messages.js';

/** From here on (ten trillion) a double no longer tells every cent from the next. */
const TOO_MANY_CENTS = 10 ** 15;

/** Cents as the number that JSON prints with at most two decimals. Throws a RangeError where that would not be exact. */
export function formatAmount(cents: number): number {
  if (!Number.isSafeInteger(cents) || Math.abs(cents) >= TOO_MANY_CENTS) {
    throw new RangeError('An amount has too many digits for a JSON number');
  }
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return Number(`${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`);
}

/** The whole user, with exactly the document's keys. `email` and `phone` show only to a token that may see them. */
export function toUserResponse(profile: Profile, scopes: readonly Scope[]): object {
  return {
    id: profile.id,
    username: profile.username,
    first_name: profile.firstName,
    last_name: profile.lastName,
    display_name: profile.displayName,
    date_joined: formatIsoDateUs(profile.dateJoinedUs),
    profile_picture_url: profile.profilePictureUrl,
    about: profile.about,
    email: isOpen('email', scopes) ? profile.email : null,
    phone: isOpen('phone', scopes) ? profile.phone : null,
    is_friend: profile.isFriend,
    friends_count: profile.friendsCount,
  };
}
