import { CarriedSecret, CheckBox, PasswordTypedAgain, TypedLines, TypedText } from '../pages/form-fields.js';

/** Fields of the pages of developers, under the names that the pages give them. */
export class AppForm {
  @CarriedSecret()
  form_token: string;

  @TypedText(500)
  name: string;

  @TypedLines(2_000)
  description: string;

  @TypedText(4_000)
  redirect_url: string;

  @TypedLines(12_000)
  more_redirect_urls: string;

  @TypedText(4_000)
  site_url: string;

  @CheckBox()
  builds_addresses?: string;

  @CheckBox()
  codes_only?: string;

  @CheckBox()
  requires_pkce?: string;

  @CheckBox()
  legacy_answers?: string;

  @PasswordTypedAgain()
  current_password?: string;
}

/** A button alone. */
export class AppButtonForm {
  @CarriedSecret()
  form_token: string;

  @PasswordTypedAgain()
  current_password?: string;
}
