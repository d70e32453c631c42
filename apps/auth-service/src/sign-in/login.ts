import { normaliseEmail, parseEmailOnFile, parseUsPhone } from '@settle/contracts';

/** What somebody typed to say who they are: the kind of name it is, and its normalised form. */
export interface Login {
  readonly kind: 'username' | 'email' | 'phone';
  readonly value: string;
}

/** Reads a username, e-mail address or phone number, however it is spelt. */
export function readLogin(typed: string): Login {
  const email = parseEmailOnFile(typed);
  if (email !== null) return { kind: 'email', value: foldedAsOnFile(normaliseEmail(email)) };
  const phone = parseUsPhone(typed);
  if (phone !== null) return { kind: 'phone', value: phone };
  return { kind: 'username', value: typed.trim().toLowerCase() };
}

/**
 * Returns the address with capital letters beyond ASCII in lower case: older versions stored addresses so. A letter
 * whose lower case is ASCII stays, as it belongs to another address.
 */
function foldedAsOnFile(email: string): string {
  return email.replace(/\P{ASCII}/gu, (letter) =>
    /\p{ASCII}/u.test(letter.toLowerCase()) ? letter : letter.toLowerCase(),
  );
}
