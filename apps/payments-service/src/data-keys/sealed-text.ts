import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** A text of an event that is personal data. A text of one kind cannot be passed off as one of the other. */
export type TextKind = 'note' | 'address';

/** No note and no address contains a control character, so that no text of a user passes for an encrypted one. */
const PREFIX = '\u0001sealed-1:';
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

const ASSOCIATED: Readonly<Record<TextKind, Buffer>> = { note: Buffer.from('note'), address: Buffer.from('address') };

/** Encrypts a text of an event. @param key 32 bytes */
export function sealText(text: string, kind: TextKind, key: Buffer): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(ASSOCIATED[kind]);
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return PREFIX + Buffer.concat(parts).toString('base64url');
}

export function isSealed(text: string): boolean {
  return text.startsWith(PREFIX);
}

/** Decrypts what `sealText` has encrypted. Null: it was encrypted with another key, or is damaged. */
export function openText(sealed: string, kind: TextKind, key: Buffer): string | null {
  const bytes = Buffer.from(sealed.slice(PREFIX.length), 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(ASSOCIATED[kind]).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}
