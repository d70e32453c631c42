import { form, password, text } from '../http/form.js';

export const SignUpForm = form({
  return_to: text(8_000),
  first_name: text(200),
  last_name: text(200),
  username: text(200),
  email: text(320),
  phone: text(64),
  password,
});

/** The form with a verification code. */
export const CodeForm = form({ code: text(32) });
