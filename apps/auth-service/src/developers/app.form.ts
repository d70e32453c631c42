import { SecretField, CheckboxField, OptionalPasswordField, TextAreaField, TextField } from '../pages/form-fields.js';

// Field names are those of the HTML inputs.

export class AppForm {
  @SecretField()
  form_token: string;

  @TextField(500)
  name: string;

  @TextAreaField(2_000)
  description: string;

  @TextField(4_000)
  redirect_url: string;

  @TextAreaField(12_000)
  more_redirect_urls: string;

  @TextField(4_000)
  site_url: string;

  @CheckboxField()
  builds_addresses?: string;

  @CheckboxField()
  codes_only?: string;

  @CheckboxField()
  requires_pkce?: string;

  @CheckboxField()
  legacy_answers?: string;

  @OptionalPasswordField()
  current_password?: string;
}

/** A form that has only a button. */
export class AppButtonForm {
  @SecretField()
  form_token: string;

  @OptionalPasswordField()
  current_password?: string;
}
