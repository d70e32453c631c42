import { seal, unseal } from './seal.js';

/** A text of an event that is personal data. A text of one kind cannot be passed off as one of the other. */
export type TextKind = 'note' | 'address';

/** No note and no address contains a control character, so that no text of a user passes for an encrypted one. */
const PREFIX = '\u0001sealed-1:';
const PURPOSE: Readonly<Record<TextKind, Buffer>> = { note: Buffer.from('note'), address: Buffer.from('address') };

/** Encrypts a text of an event. @param key 32 bytes */
export function sealText(text: string, kind: TextKind, key: Buffer): string {
  return PREFIX + seal(Buffer.from(text), key, PURPOSE[kind]).toString('base64url');
}

export function isSealed(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Decrypts what `sealText` has encrypted. Null: it was encrypted with another key, or is damaged. */
export function openText(sealed: string, kind: TextKind, key: Buffer): string | null {
  try {
    return unseal(Buffer.from(sealed.slice(PREFIX.length), 'base64url'), key, PURPOSE[kind]).toString();
  } catch {
    return null;
  }
}
