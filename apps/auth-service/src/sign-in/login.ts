import { normalizeEmail, normalizeUsername, parseEmailOnFile, parseUsPhone } from '@settle/contracts';

/** The identifier that a user entered to sign in, in its normalized form. */
export interface Login {
  readonly kind: 'username' | 'email' | 'phone';
  readonly value: string;
}

/** Parses a username, e-mail address or phone number in any spelling. */
export function parseLogin(typed: string): Login {
  const email = parseEmailOnFile(typed);
  if (email !== null) return { kind: 'email', value: lowerCaseNonAscii(normalizeEmail(email)) };
  const phone = parseUsPhone(typed);
  if (phone !== null) return { kind: 'phone', value: phone };
  return { kind: 'username', value: normalizeUsername(typed.trim()) };
}

/**
 * Returns the address with non-ASCII letters in lower case, as older versions stored addresses. Keeps a letter whose
 * lower case is ASCII, because the result would be a different address.
 */
function lowerCaseNonAscii(email: string): string {
  return email.replace(/\P{ASCII}/gu, (letter) =>
    /\p{ASCII}/u.test(letter.toLowerCase()) ? letter : letter.toLowerCase(),
  );
}
