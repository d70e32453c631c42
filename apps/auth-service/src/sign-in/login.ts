import { normaliseEmail, parseEmail, parseUsPhone } from '@settle/contracts';

/** What somebody typed to say who they are: the kind of name it is, and its normalised form. */
export interface Login {
  readonly kind: 'username' | 'email' | 'phone';
  readonly value: string;
}

/** Reads a username, e-mail address or phone number, however it is spelt. */
export function readLogin(typed: string): Login {
  const email = parseEmail(typed);
  if (email !== null) return { kind: 'email', value: normaliseEmail(email) };
  const phone = parseUsPhone(typed);
  if (phone !== null) return { kind: 'phone', value: phone };
  return { kind: 'username', value: typed.trim().toLowerCase() };
}
