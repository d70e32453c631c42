import type { AddressKind } from './users-state.js';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Dot-separated words of at most 64 characters together, without what needs quotes and without control characters. */
const LOCAL_PART = String.raw`(?=[^@]{1,64}@)[^\s\p{C}@"(),:;<>[\]\\.]+(?:\.[^\s\p{C}@"(),:;<>[\]\\.]+)*`;
// Spelled out: with the flags `i` and `u` together, `[a-z]` also matches U+017F and U+212A.
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
const TOP_LABEL = '[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])';
const EMAIL_PATTERN = new RegExp(String.raw`^${LOCAL_PART}@(?:${LABEL}\.)+${TOP_LABEL}$`, 'u');
const EMAIL_ON_FILE = /^[^\s\p{C}@]+@[^\s\p{C}@]+$/u;
const US_NUMBER = /^\+1[2-9][0-9]{2}[2-9][0-9]{6}$/;
const PHONE_SPELLING = /^(?=.{10,32}$)[\s(]*\+?[0-9().\s\p{Pd}]+$/u;

/**
 * Returns the e-mail address trimmed, as its owner spells it, or null if the text is not an address that a user may
 * newly use: mail systems that fold case as Unicode does must not take it for another address.
 */
export function parseEmail(text: string): string | null {
  const email = text.trim();
  if (email.length > 254 || !EMAIL_PATTERN.test(email)) return null;
  return isUnchangedByFolding(email.slice(0, email.lastIndexOf('@'))) ? email : null;
}

/** Returns the text trimmed if it may be an e-mail address that is on file, else null. Older rules accepted more. */
export function parseEmailOnFile(text: string): string | null {
  const email = text.trim();
  return email.length <= 254 && EMAIL_ON_FILE.test(email) ? email : null;
}

/**
 * Returns the form in which e-mail addresses are compared: before the at, A to Z in lower case and every other character
 * as it is. There `toLowerCase` would make two mailboxes equal, as it maps U+212A to `k`; domain names are mapped so.
 */
export function normalizeEmail(email: string): string {
  const at = email.lastIndexOf('@');
  return foldAscii(email.slice(0, at)) + email.slice(at).toLowerCase();
}

/** Returns the form in which usernames are compared: only A to Z are folded, so that no other letter counts as one of them. */
export function normalizeUsername(username: string): string {
  return foldAscii(username);
}

function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Whether the case folding of Unicode with its compatibility forms (NFKC_Casefold) changes no character but A to Z. */
function isUnchangedByFolding(localPart: string): boolean {
  const folded = foldAscii(localPart);
  if (folded.normalize('NFKC') !== folded) return false;
  // Character by character: the lower case of a sigma depends on what stands around it.
  return [...folded].every((letter) => letter.toLowerCase().toUpperCase().toLowerCase() === letter);
}

/** The form in which addresses of either kind are compared; a phone in E.164 is its own. */
export function normalizeAddress(kind: AddressKind, address: string): string {
  return kind === 'email' ? normalizeEmail(address) : address;
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
