import { SettleError, normalizeEmail, parseEmail, parseUsPhone, type AddressKind } from '@settle/contracts';
import type { User } from '../storage/user.entity.js';

/** A user to create. Addresses are as the owner spells them, and not verified yet. */
export interface NewUser {
  readonly id: string;
  readonly username: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly displayName?: string;
  readonly about?: string;
  readonly email: string | null;
  readonly phone: string | null;
  /** Microseconds since 1970. */
  readonly joinedAtUs: number;
}

/** Returns the row of a new user. Errors: `invalid_email`, `invalid_phone`. */
export function buildUserRow(person: NewUser): User {
  const { id, username, firstName, lastName, joinedAtUs } = person;
  const email = person.email === null ? null : parseAddress('email', person.email);
  return {
    id,
    username,
    firstName,
    lastName,
    displayName: person.displayName ?? `${firstName} ${lastName}`.trim(),
    about: person.about ?? '',
    pictureUrl: null,
    email,
    emailNormalised: email && normalizeEmail(email),
    phone: person.phone === null ? null : parseAddress('phone', person.phone),
    joinedAtUs,
    defaultAudience: 'private',
    isBusiness: false,
    legacyAccess: false,
    verified: false,
    isFrozen: false,
    fundingSourceId: null,
    fundingSourceLastFour: null,
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

/** Returns the form in which addresses are compared. Errors: `invalid_email`, `invalid_phone`. */
export function parseNormalizedAddress(kind: AddressKind, text: string): string {
  return kind === 'email' ? normalizeEmail(parseAddress(kind, text)) : parseAddress(kind, text);
}
