import type { AddressKind } from './users-state.js';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Dot-separated words of at most 64 characters together, without what needs quotes and without control characters. */
const LOCAL_PART = String.raw`(?=[^@]{1,64}@)[^\s\p{C}@"(),:;<>[\]\\.]+(?:\.[^\s\p{C}@"(),:;<>[\]\\.]+)*`;
const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const TOP_LABEL = '[a-z](?:[a-z0-9-]{0,61}[a-z0-9])';
const EMAIL_PATTERN = new RegExp(String.raw`^${LOCAL_PART}@(?:${LABEL}\.)+${TOP_LABEL}$`, 'iu');
const US_NUMBER = /^\+1[2-9][0-9]{2}[2-9][0-9]{6}$/;
const PHONE_SPELLING = /^(?=.{10,32}$)[\s(]*\+?[0-9().\s\p{Pd}]+$/u;

/** The e-mail address trimmed, as its owner spells it; null when it is none. */
export function parseEmail(text: string): string | null {
  const email = text.trim();
  return email.length <= 254 && EMAIL_PATTERN.test(email) ? email : null;
}

/** The form in which e-mail addresses are compared. */
export function normaliseEmail(email: string): string {
  return email.toLowerCase();
}

/** The form in which addresses of either kind are compared; a phone in E.164 is its own. */
export function normaliseAddress(kind: AddressKind, address: string): string {
  return kind === 'email' ? normaliseEmail(address) : address;
}

/**
 * A US number, however it is spelt, in E.164; null when it is none. Area code 555 is accepted, since examples use
 * it; a number that libphonenumber knows to belong to another country of +1 is not.
 */
export function parseUsPhone(text: string): string | null {
  const spelt = text.trim();
  if (!PHONE_SPELLING.test(spelt)) return null;
  const digits = spelt.replace(/[^0-9]/g, '');
  const national = digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits;
  const e164 = `+1${national}`;
  if (!US_NUMBER.test(e164)) return null;
  if (spelt.includes('+') && digits.length !== 11) return null;
  const country = parsePhoneNumberFromString(e164)?.country;
  return country === undefined || country === 'US' ? e164 : null;
}
