import { parseEmail, parseUsPhone } from '@settle/contracts';
import { isReadable } from '../pages/visible-text.js';
import { passwordFault } from '../sign-in/password-rules.js';

/** The fields of the form, as typed. */
export interface TypedSignUp {
  readonly first_name: string;
  readonly last_name: string;
  readonly username: string;
  readonly email: string;
  readonly phone: string;
  readonly password: string;
}

/** What is wrong with a field, in words for whoever filled it in. */
export type Faults<Fields> = Partial<Record<keyof Fields, string>>;

const USERNAME = /^(?=.*[a-z])[a-z0-9](?:[a-z0-9]|[._-](?=[a-z0-9])){2,29}$/i;
const LONGEST_NAME = 60;
/** Letters of any language and what stands between them; nothing that cannot be seen, turns the text around, or is markup. */
const NAME = /^[\p{L}\p{M}\p{N}\p{Zs}'’.,-]+$/u;

/** What speaks against a sign-up, whoever else there is. */
export function signUpFaults(typed: TypedSignUp): Faults<TypedSignUp> {
  const faults: Faults<TypedSignUp> = nameFaults(typed);
  if (!USERNAME.test(typed.username.trim())) {
    faults.username =
      'Take 3 to 30 letters and digits, at least one of them a letter; a dot, hyphen or underscore may stand between them.';
  }
  if (parseEmail(typed.email) === null) faults.email = 'This is no e-mail address. It looks like name@example.com.';
  if (typed.phone.trim() !== '' && parseUsPhone(typed.phone) === null) {
    faults.phone = 'This is no US phone number. It looks like (415) 555-0101; leave it empty to go without.';
  }
  const fault = passwordFault(typed.password, [typed.username.trim(), typed.email.trim(), typed.phone.trim()]);
  if (fault !== null) faults.password = fault;
  return faults;
}

/** What speaks against a person's names. */
export function nameFaults(typed: Pick<TypedSignUp, 'first_name' | 'last_name'>): Faults<typeof typed> {
  const faults: Faults<typeof typed> = {};
  for (const field of ['first_name', 'last_name'] as const) {
    const name = typed[field].trim();
    if (name === '' || [...name].length > LONGEST_NAME || !NAME.test(name) || !isReadable(name)) {
      faults[field] = `Take 1 to ${LONGEST_NAME} letters.`;
    }
  }
  return faults;
}
