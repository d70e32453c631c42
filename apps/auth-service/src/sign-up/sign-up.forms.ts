import { CarriedSecret, TypedPassword, TypedText } from '../pages/form-fields.js';

/** The fields of the sign-up form. */
export class SignUpForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(8_000)
  return_to: string;

  @TypedText(200)
  first_name: string;

  @TypedText(200)
  last_name: string;

  @TypedText(200)
  username: string;

  @TypedText(320)
  email: string;

  @TypedText(64)
  phone: string;

  @TypedPassword()
  password: string;
}

/** The form with a verification code. */
export class CodeForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(32)
  code: string;
}

/** A form that has only a button. */
export class ButtonForm {
  @CarriedSecret()
  form_token: string;
}
