import { parseEmail, parseUsPhone } from '@settle/contracts';
import { form, password, text, type FormOf } from '../http/form.js';
import { isReadable } from '../pages/visible-text.js';
import { findPasswordFault } from '../sign-in/password-rules.js';

export const SignUpForm = form({
  return_to: text(8_000),
  first_name: text(200),
  last_name: text(200),
  username: text(200),
  email: text(320),
  phone: text(64),
  password,
});

/** The fields of the form, as typed. */
export type TypedSignUp = Omit<FormOf<typeof SignUpForm>, 'form_token' | 'return_to'>;

/** The message for each invalid field, in words for the user. */
export type Faults<Fields> = Partial<Record<keyof Fields, string>>;

const USERNAME = /^(?=.*[a-z])[a-z0-9](?:[a-z0-9]|[._-](?=[a-z0-9])){2,29}$/i;
const MAX_NAME_LENGTH = 60;
/** Letters of any language and separators; no invisible characters, bidirectional controls or markup. */
const NAME = /^[\p{L}\p{M}\p{N}\p{Zs}'’.,-]+$/u;
/** Scripts that spell words with U+200C and U+200D, such as Persian and Hindi. In others, a joiner would be invisible. */
const JOINING_SCRIPTS = [
  'Arab',
  'Syrc',
  'Deva',
  'Beng',
  'Guru',
  'Gujr',
  'Orya',
  'Taml',
  'Telu',
  'Knda',
  'Mlym',
  'Sinh',
];
const JOINING = JOINING_SCRIPTS.map((script) => `\\p{Script=${script}}`).join('');
const JOINER = new RegExp(`(?<=[${JOINING}])[\\u200C\\u200D](?=[${JOINING}])`, 'gu');

/** Returns the faults of a sign-up, apart from a taken username or address. */
export function findSignUpFaults(typed: TypedSignUp): Faults<TypedSignUp> {
  const faults: Faults<TypedSignUp> = findNameFaults(typed);
  if (!USERNAME.test(typed.username.trim())) {
    faults.username =
      'Use 3 to 30 letters and digits, at least one of them a letter; dots, hyphens and underscores are allowed between them.';
  }
  if (parseEmail(typed.email) === null)
    faults.email = 'This is not a valid e-mail address. Use the form name@example.com.';
  if (typed.phone.trim() !== '' && parseUsPhone(typed.phone) === null) {
    faults.phone = 'This is not a valid US phone number. Use the form (415) 555-0101, or leave the field empty.';
  }
  const fault = findPasswordFault(typed.password, [typed.username.trim(), typed.email.trim(), typed.phone.trim()]);
  if (fault !== null) faults.password = fault;
  return faults;
}

/** Returns the faults of a user's first and last name. */
export function findNameFaults(typed: Pick<TypedSignUp, 'first_name' | 'last_name'>): Faults<typeof typed> {
  const faults: Faults<typeof typed> = {};
  for (const field of ['first_name', 'last_name'] as const) {
    const fault = findNameFault(typed[field].trim());
    if (fault !== null) faults[field] = fault;
  }
  return faults;
}

function findNameFault(name: string): string | null {
  if (name === '') return 'This field is required.';
  if ([...name].length > MAX_NAME_LENGTH) return `Use at most ${MAX_NAME_LENGTH} characters.`;
  const visible = name.replaceAll(JOINER, '');
  if (NAME.test(visible) && isReadable(visible)) return null;
  return 'Use letters, digits, spaces, dots, commas, hyphens and apostrophes, with at least one letter or digit.';
}
