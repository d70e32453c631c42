import { SettleError, normalizeEmail, parseEmail, parseUsPhone, type AddressKind } from '@settle/contracts';
import type { User } from '../storage/user.entity.js';

/** A user to create. Addresses are as the owner spells them, and not verified yet. */
export type NewUser = Pick<User, 'id' | 'username' | 'firstName' | 'lastName' | 'email' | 'phone' | 'joinedAtUs'> &
  Partial<Pick<User, 'displayName' | 'about'>>;

/** Returns the row of a new user. Errors: `invalid_email`, `invalid_phone`. */
export function buildUserRow(user: NewUser): User {
  const { id, username, firstName, lastName, joinedAtUs } = user;
  const email = user.email === null ? null : parseAddress('email', user.email);
  return {
    ...{ id, username, firstName, lastName, joinedAtUs },
    displayName: user.displayName ?? `${firstName} ${lastName}`.trim(),
    about: user.about ?? '',
    pictureUrl: null,
    email,
    emailNormalized: email && normalizeEmail(email),
    phone: user.phone === null ? null : parseAddress('phone', user.phone),
    defaultAudience: 'private',
    ...{ isBusiness: false, legacyAccess: false, verified: false, isFrozen: false },
    ...{ fundingSourceId: null, fundingSourceLastFour: null },
    closedAtUs: null,
    version: 1,
  };
}

/** Returns an e-mail address as spelled, or a phone number in E.164. Errors: `invalid_email`, `invalid_phone`. */
export function parseAddress(kind: AddressKind, text: string): string {
  const address = kind === 'email' ? parseEmail(text) : parseUsPhone(text);
  if (address !== null) return address;
  if (kind === 'email') throw new SettleError('invalid_email', 'The e-mail address is not valid.');
  throw new SettleError('invalid_phone', 'The phone number is not a US number.');
}
