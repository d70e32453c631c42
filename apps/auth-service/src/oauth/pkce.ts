import { createHash } from 'node:crypto';
import { isSameSecret } from '../secrets/secrets.js';

/** RFC 7636 4.1. */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;
/** A SHA-256 in base64url (RFC 7636 4.2). */
const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Whether `challenge` has the form of an S256 challenge. */
export function isS256Challenge(challenge: string): boolean {
  return S256_CHALLENGE.test(challenge);
}

/**
 * Whether the verifier at the token endpoint matches the challenge of the authorization request (RFC 7636 4.6). A
 * verifier without a challenge does not: an attacker has removed the challenge (RFC 9700 2.1.1). Null: not sent.
 */
export function matchesChallenge(verifier: string | null, challenge: string | null): boolean {
  if (verifier === null || challenge === null) return verifier === challenge;
  if (!VERIFIER.test(verifier)) return false;
  return isSameSecret(createHash('sha256').update(verifier).digest('base64url'), challenge);
}
