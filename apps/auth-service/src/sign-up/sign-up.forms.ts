import { SecretField, PasswordField, TextField } from '../pages/form-fields.js';

/** The fields of the sign-up form. */
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

/** The form with a verification code. */
export class CodeForm {
  @SecretField()
  form_token: string;

  @TextField(32)
  code: string;
}

/** A form that has only a button. */
export class ButtonForm {
  @SecretField()
  form_token: string;
}
