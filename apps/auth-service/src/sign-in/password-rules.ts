import { dictionary } from '@zxcvbn-ts/language-common';

const MIN_CHARACTERS = 8;

/** Common passwords that are long enough, of some 49,000; OWASP ASVS 6.2.4 requires 3,000. */
const COMMON = new Set(
  (dictionary['passwords-common'] as readonly string[]).filter((password) => password.length >= MIN_CHARACTERS),
);

/**
 * Returns the reason why a new password is refused, in words for the user, or null. There are no composition rules.
 * @param ownNames the user's names and addresses, which attackers try first
 */
export function findPasswordFault(password: string, ownNames: readonly string[] = []): string | null {
  if ([...password].length < MIN_CHARACTERS) {
    return `Use at least ${MIN_CHARACTERS} characters, for example several words.`;
  }
  const folded = password.normalize('NFKC').toLowerCase();
  if (COMMON.has(folded)) return 'This password is too common. Choose a different one.';
  const isOwn = ownNames.some((name) => name !== '' && name.toLowerCase() === folded);
  return isOwn ? 'Your own name or address is easy to guess. Choose a different password.' : null;
}
