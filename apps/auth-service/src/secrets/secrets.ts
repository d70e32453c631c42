import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** Returns 256 random bits in base64url, safe in URLs, cookies and forms. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Whether `text` has the form of a `randomSecret`. */
export function looksLikeSecret(text: string): boolean {
  return SECRET_PATTERN.test(text);
}

/** Returns the form in which a secret is stored. A plain hash is enough for 256 random bits. */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Compares two secrets in constant time. */
export function isSameSecret(left: string, right: string): boolean {
  return timingSafeEqual(sha256(left), sha256(right));
}
