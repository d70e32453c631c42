import { SecretField, PasswordField, TextField } from '../pages/form-fields.js';

/** The fields of the sign-up page. */
export class SignUpForm {
  @SecretField()
  form_token: string;

  @TextField(8_000)
  return_to: string;

  @TextField(200)
  first_name: string;

  @TextField(200)
  last_name: string;

  @TextField(200)
  username: string;

  @TextField(320)
  email: string;

  @TextField(64)
  phone: string;

  @PasswordField()
  password: string;
}

/** A code that was typed. */
export class CodeForm {
  @SecretField()
  form_token: string;

  @TextField(32)
  code: string;
}

/** A form with nothing but a button. */
export class ButtonForm {
  @SecretField()
  form_token: string;
}
