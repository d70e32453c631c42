import { dictionary } from '@zxcvbn-ts/language-common';

const LEAST_CHARACTERS = 8;

/** Those that are long enough; of some 49,000 common passwords, far more than the 3,000 that OWASP ASVS 6.2.4 asks for. */
const COMMON = new Set(
  (dictionary['passwords-common'] as readonly string[]).filter((password) => password.length >= LEAST_CHARACTERS),
);

/**
 * What speaks against a new password, in words for whoever chose it; null: nothing. No rules of composition.
 * @param own names and addresses of its owner, which guessers try first
 */
export function passwordFault(password: string, own: readonly string[] = []): string | null {
  if ([...password].length < LEAST_CHARACTERS) {
    return `Take at least ${LEAST_CHARACTERS} characters; a few words in a row do well.`;
  }
  const folded = password.normalize('NFKC').toLowerCase();
  if (COMMON.has(folded)) return 'This is one of the passwords that guessers try first. Take another one.';
  const isOwn = own.some((name) => name !== '' && name.toLowerCase() === folded);
  return isOwn ? 'Your own name or address is soon guessed. Take another one.' : null;
}
