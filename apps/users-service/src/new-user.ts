import { SettleError, normaliseEmail, parseEmail, parseUsPhone, type AddressKind } from '@settle/contracts';
import type { User } from './user.entity.js';

/** A person to be; addresses as their owner spells them, not yet proven. */
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
export function newUserRow(person: NewUser): User {
  const { id, username, firstName, lastName, joinedAtUs } = person;
  const email = person.email === null ? null : spelt('email', person.email);
  return {
    id,
    username,
    firstName,
    lastName,
    displayName: person.displayName ?? `${firstName} ${lastName}`.trim(),
    about: person.about ?? '',
    pictureUrl: null,
    email,
    emailNormalised: email && normaliseEmail(email),
    phone: person.phone === null ? null : spelt('phone', person.phone),
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

/** An e-mail as its owner spells it, a phone in E.164. Errors: `invalid_email`, `invalid_phone`. */
export function spelt(kind: AddressKind, text: string): string {
  const address = kind === 'email' ? parseEmail(text) : parseUsPhone(text);
  if (address !== null) return address;
  if (kind === 'email') throw new SettleError('invalid_email', 'The e-mail address is not one.');
  throw new SettleError('invalid_phone', 'The phone number is not a US number.');
}

/** The form in which addresses are compared. Errors: `invalid_email`, `invalid_phone`. */
export function normalised(kind: AddressKind, text: string): string {
  return kind === 'email' ? normaliseEmail(spelt(kind, text)) : spelt(kind, text);
}
